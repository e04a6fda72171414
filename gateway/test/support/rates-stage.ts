/** Shared by the tests of per-minute rate limits: moving to a moment of a minute, and setting the limits. */
import { sql } from '../../src/database/sql.ts';
import { MINUTE_MS } from '../../src/kernel/durations.ts';
import type { TestGateway } from './gateway.ts';
import type { ShiftedClock } from './shifted-clock.ts';

/** Moves the clock to this second of a later minute whose window contains no earlier counts. */
export function shiftToSecond(clock: ShiftedClock, second: number): void {
  const now = clock.now();
  const minute = Math.floor(now / MINUTE_MS) + 3;
  clock.shift(minute * MINUTE_MS + second * 1000 - now);
}

export interface Rates {
  readonly requests?: number;
  readonly tokens?: number;
}

/** Sets both limits; an omitted one is removed. */
export async function setRate(
  gateway: TestGateway,
  of: 'keys' | 'spaces',
  name: string,
  rates: Rates,
): Promise<void> {
  const rate = { requests_per_minute: rates.requests ?? null, tokens_per_minute: rates.tokens ?? null };
  if (of === 'spaces') await gateway.admin('spaces.rate', { space: name, ...rate });
  else await gateway.admin('keys.rate', { name, space: await spaceOf(gateway, name), ...rate });
}

async function spaceOf(gateway: TestGateway, key: string): Promise<string | undefined> {
  const [found] = await gateway.query<{ space: string }>(
    sql`select s.name as space from keys k join spaces s on s.id = k.space_id where k.name = ${key}`,
  );
  return found?.space;
}

export async function newKey(gateway: TestGateway, name: string, space = 'acme'): Promise<string> {
  const made = await gateway.admin('keys.create', { name, space, kind: 'shared' });
  return made.key;
}

export const words = [{ role: 'user', content: 'Reply with exactly: one two three' }];

export function chatWith(url: string, key: string, more: Record<string, unknown> = {}): Promise<Response> {
  return fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sim-chat', messages: words, ...more }),
  });
}

/** The `x-ratelimit-…` headers, without that prefix. */
export function rateHeadersOf(reply: Response): Record<string, string> {
  const found = [...reply.headers].filter(([name]) => name.startsWith('x-ratelimit-'));
  return Object.fromEntries(found.map(([name, value]) => [name.slice('x-ratelimit-'.length), value]));
}
