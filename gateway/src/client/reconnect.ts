/** When to reconnect after a log stream was interrupted. Pure. */

export const RECONNECT_ATTEMPTS_MAX = 5;
const FIRST_MS = 1_000;
const DELAY_MS_MAX = 30_000;

/** 1, 2, 4, 8 and 16 seconds, or longer if the server asks for it. Attempts count from 1. */
export function delayBefore(attempt: number, retryAfterMs: number | null): number {
  const delayMs = Math.min(DELAY_MS_MAX, FIRST_MS * 2 ** (attempt - 1));
  return Math.max(delayMs, retryAfterMs ?? 0);
}

/** The same request would fail again. */
export function isRejection(status: number): boolean {
  return status >= 400 && status < 500 && ![408, 425, 429].includes(status);
}

export function readRetryAfter(headers: Headers, now: number): number | null {
  const ms = headers.get('retry-after-ms');
  if (ms !== null && /^\d{1,9}$/.test(ms)) return Number(ms);
  const after = headers.get('retry-after');
  if (after === null) return null;
  if (/^\d{1,6}$/.test(after)) return Number(after) * 1000;
  const date = Date.parse(after);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}
