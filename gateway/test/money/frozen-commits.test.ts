/** A commit that freezes with the locks of its rows keeps only its own calls waiting. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/database/sql.ts';
import { type Frozen, freezeCommit } from '../faults/freeze-backends.ts';
import { type BesideGateway, startBeside } from '../support/beside.ts';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

/** Twice what is promised, for a busy machine. */
const RECOVERED_MS_MAX = 6_000;
const CALLS = 10;

describe.runIf(engines.includes('postgres'))('a commit that freezes with its locks', () => {
  let gateway: TestGateway;
  let beside: BesideGateway;
  let frozen: Frozen | null = null;

  beforeAll(async () => {
    gateway = await startGateway({ engine: 'postgres' });
    beside = await startBeside(gateway);
  });
  afterAll(async () => {
    frozen?.thaw();
    await beside.stop();
    await gateway.stop();
  });

  async function call(url: string): Promise<{ status: number; durationMs: number }> {
    const beganMs = performance.now();
    const reply = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'sim-chat', messages: [{ role: 'user', content: 'hi' }] }),
    });
    await reply.text();
    return { status: reply.status, durationMs: performance.now() - beganMs };
  }

  test('delays neither another process with the same key nor later calls of its own', async () => {
    expect([(await call(gateway.url)).status, (await call(beside.url)).status]).toEqual([200, 200]);
    const freezing = freezeCommit(gateway.databaseUrl as string);
    const own: Array<ReturnType<typeof call>> = [];
    // Until one of them is caught.
    let isFrozen = false;
    const caught = freezing.then((made) => {
      frozen = made;
      isFrozen = true;
    });
    while (!isFrozen) {
      own.push(call(gateway.url));
      await Promise.race([caught, own.at(-1)]);
    }
    const calls = Array.from({ length: CALLS }, (_, i) => call(i % 2 === 0 ? beside.url : gateway.url));
    for (const { status, durationMs } of await Promise.all(calls)) {
      expect(status).toBe(200);
      expect(durationMs).toBeLessThan(RECOVERED_MS_MAX);
    }
    (frozen as Frozen | null)?.thaw();
    for (const { status } of await Promise.all(own)) expect(status).toBe(200);
    const [row] = await gateway.query<{ calls: number }>(sql`select count(*) as calls from calls`);
    expect(row?.calls).toBe(2 + own.length + CALLS);
    expect((await gateway.admin('ledger.verify')).disagreements).toEqual([]);
  });
});
