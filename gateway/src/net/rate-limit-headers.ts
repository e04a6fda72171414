/** What providers say about their rate limits in the headers of an answer, before they answer 429. Pure. */
import type { Instant } from '../kernel/time.ts';

/** What remains, and when it is full again: OpenAI and servers like it, and Anthropic. */
const LIMITS: ReadonlyArray<readonly [remaining: string, reset: string]> = [
  ['x-ratelimit-remaining-requests', 'x-ratelimit-reset-requests'],
  ['x-ratelimit-remaining-tokens', 'x-ratelimit-reset-tokens'],
  ['anthropic-ratelimit-requests-remaining', 'anthropic-ratelimit-requests-reset'],
  ['anthropic-ratelimit-tokens-remaining', 'anthropic-ratelimit-tokens-reset'],
  ['anthropic-ratelimit-input-tokens-remaining', 'anthropic-ratelimit-input-tokens-reset'],
  ['anthropic-ratelimit-output-tokens-remaining', 'anthropic-ratelimit-output-tokens-reset'],
];

export const rateLimitHeaders: readonly string[] = LIMITS.flat();

type Headers = Readonly<Record<string, string | undefined>>;

/** How long nothing remains of one of its limits; null if something does, or if the provider does not say. */
export function exhaustedMs(headers: Headers, now: Instant): number | null {
  let longest: number | null = null;
  for (const [remaining, reset] of LIMITS) {
    if (headers[remaining] !== '0') continue;
    const ms = untilReset(headers[reset], now);
    if (ms !== null && ms > (longest ?? 0)) longest = ms;
  }
  return longest;
}

/** Seconds, or a date; null if it is neither. */
export function retryAfterMs(header: string | undefined, now: Instant): number | null {
  if (header === undefined || header === '') return null;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return seconds < 0 ? null : Math.ceil(seconds * 1000);
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}

const DURATION =
  /^(?:(\d{1,6})h)?(?:(\d{1,6})m(?!s))?(?:(\d{1,6}(?:\.\d{1,9})?)s)?(?:(\d{1,9}(?:\.\d{1,9})?)ms)?$/;

/** `6m0s`, `20ms`, seconds, or a date. */
function untilReset(reset: string | undefined, now: Instant): number | null {
  if (reset === undefined || reset === '') return null;
  const parts = DURATION.exec(reset);
  if (parts === null) return retryAfterMs(reset, now);
  const [, h = 0, m = 0, s = 0, ms = 0] = parts;
  return Math.ceil(Number(h) * 3_600_000 + Number(m) * 60_000 + Number(s) * 1_000 + Number(ms));
}
