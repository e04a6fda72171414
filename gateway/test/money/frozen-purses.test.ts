/** A connection that freezes while it has locked a purse keeps only the calls away that need this purse. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Frozen, freezePurses } from '../faults/freeze-backends.ts';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { PATIENCE } from '../support/patience.ts';

describe.runIf(engines.includes('postgres'))('a connection that freezes with the lock of a purse', () => {
  let gateway: TestGateway;
  let frozen: Frozen | null = null;

  beforeAll(async () => {
    gateway = await startGateway({ engine: 'postgres' });
  });
  afterAll(async () => {
    frozen?.thaw();
    await gateway.stop();
  });

  /** A space that may not use overage; nobody has asked for its purse yet. */
  async function newKey(name: string): Promise<string> {
    await gateway.admin('spaces.create', { name, overage: false });
    await gateway.admin('grants.add', { space: name, amount: '10', kind: 'paid' });
    return (await gateway.admin('keys.create', { space: name, name, kind: 'shared' })).key;
  }

  async function call(key: string): Promise<{ status: number; retryAfter: string | null }> {
    const body = { model: 'sim-chat', messages: [{ role: 'user', content: 'Reply with exactly: yes' }] };
    const reply = await gateway.chat(body, { authorization: `Bearer ${key}` });
    await reply.text();
    return { status: reply.status, retryAfter: reply.headers.get('retry-after') };
  }

  test('delays no call of another space, and its own calls are refused until it goes on', async () => {
    const [own, other, another] = [await newKey('own'), await newKey('other'), await newKey('another')];
    const first = Promise.withResolvers<Awaited<ReturnType<typeof call>>>();
    frozen = await freezePurses(gateway.databaseUrl as string, () => {
      call(own).then(first.resolve, first.reject);
    });
    // While the statement of the first call has not been given up, and afterwards.
    expect((await call(other)).status).toBe(200);
    expect((await first.promise).status).toBe(503);
    const second = await call(own);
    expect([second.status, Number(second.retryAfter) > 0]).toEqual([503, true]);
    expect((await call(another)).status).toBe(200);
    frozen.thaw();
    await expect.poll(async () => (await call(own)).status, PATIENCE).toBe(200);
    expect((await gateway.admin('ledger.verify')).disagreements).toEqual([]);
  });
});
