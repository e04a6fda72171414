/** What the tests of limits a minute share: moments of a minute, and limits set beside the gateway. */
import { rateKey } from '../../src/access/keys.store.ts';
import type { Rate } from '../../src/access/principal.ts';
import { rateSpace } from '../../src/access/spaces.store.ts';
import { sql } from '../../src/database/sql.ts';
import type { TestGateway } from './gateway.ts';
import type { ShiftedClock } from './shifted-clock.ts';

const MINUTE_MS = 60_000;

/** To this second of a minute so far ahead that nothing of before is in its window. */
export function shiftToSecond(clock: ShiftedClock, second: number): void {
  const now = clock.now();
  const minute = Math.floor(now / MINUTE_MS) + 3;
  clock.shift(minute * MINUTE_MS + second * 1000 - now);
}

export interface Rates {
  readonly requests?: number;
  readonly tokens?: number;
}

/** As an operator elsewhere would, in the database; the gateway is then told to look. */
export async function setRate(
  gateway: TestGateway,
  of: 'keys' | 'spaces',
  name: string,
  rates: Rates,
): Promise<void> {
  const rate: Rate = {
    requestsPerMinute: rates.requests ?? null,
    tokensPerMinute: rates.tokens ?? null,
  };
  if (of === 'keys') {
    const [key] = await gateway.query<{ id: string }>(sql`select id from keys where name = ${name}`);
    await rateKey(gateway, key?.id ?? '', rate);
  } else {
    const [space] = await gateway.query<{ id: string }>(sql`select id from spaces where name = ${name}`);
    await rateSpace(gateway, space?.id ?? '', rate);
  }
  await gateway.admin('spaces.list');
}

export async function newKey(gateway: TestGateway, name: string, space = 'acme'): Promise<string> {
  const made = await gateway.admin<{ key: string }>('keys.create', { name, space, kind: 'shared' });
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

/** The `x-ratelimit-…` headers, without that beginning. */
export function rateHeadersOf(reply: Response): Record<string, string> {
  const found = [...reply.headers].filter(([name]) => name.startsWith('x-ratelimit-'));
  return Object.fromEntries(found.map(([name, value]) => [name.slice('x-ratelimit-'.length), value]));
}
