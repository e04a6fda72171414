/**
 * The books under attack: one space sends bodies that are too large, too slow or too complex, uses bad keys and
 * disconnects amid its answers. Provider answers = recorded calls = charges, and the other space is served.
 * TOLLGATE_ATTACKS sets the number of waves.
 */

import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { SeenCall } from '../../simulator/journal.ts';
import { sql } from '../../src/database/sql.ts';
import { KIB } from '../../src/kernel/bytes.ts';
import { testConfig } from '../support/config.ts';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { PATIENCE } from '../support/patience.ts';
import { type RawCall, rawCall } from '../support/raw-call.ts';

const WAVES = Number(process.env.TOLLGATE_ATTACKS ?? 3);
const TEST_MS = 60_000 + WAVES * 10_000;
const VICTIM_CALLS = 10;
const CHAT = '/v1/chat/completions';

const limits = `limits:
  bytes_in_flight: ${4_000 * KIB}
  bytes_in_flight_per_space: ${1_600 * KIB}
  bytes_in_flight_per_key: ${1_000 * KIB}
  bytes_wait_ms: 100
  json_containers: 2000
  streams_per_key: 20
`;

describe.each(engines)('the books under attack on %s', (engine) => {
  let gateway: TestGateway;
  let victim: string;
  let attacker: string;

  beforeAll(async () => {
    gateway = await startGateway({ engine, config: testConfig({ limits }), paceMs: 5 });
    victim = await keyOf('victim');
    attacker = await keyOf('attacker');
  });
  afterAll(() => gateway.stop());

  async function keyOf(name: string): Promise<string> {
    await gateway.admin('spaces.create', { name, overage: true });
    return (await gateway.admin('keys.create', { space: name, name, kind: 'shared' })).key;
  }

  function chat(key: string, content: string, more: object = {}): Promise<Response> {
    const body = { model: 'sim-chat', messages: [{ role: 'user', content }], ...more };
    return gateway.chat(body, { authorization: `Bearer ${key}` });
  }

  /** All attacks at once. Resolves when each is answered, rejected or cut. */
  async function attack(): Promise<void> {
    const stalled: RawCall[] = Array.from({ length: 4 }, () =>
      rawCall(gateway.url, {
        path: CHAT,
        headers: {
          authorization: `Bearer ${attacker}`,
          'content-type': 'application/json',
          'content-length': String(300 * KIB),
        },
        body: `{"model":"sim-chat","messages":[{"role":"user","content":"${'a'.repeat(100 * KIB)}`,
      }),
    );
    const answered = await Promise.all([
      ...Array.from({ length: 6 }, () => chat(attacker, `Reply with exactly: ok. ${'a'.repeat(300 * KIB)}`)),
      ...Array.from({ length: 3 }, () => chat(attacker, 'hi', { metadata: Array(5_000).fill([]) })),
      ...Array.from({ length: 10 }, () => chat(`sk_${'a'.repeat(46)}`, 'hi')),
      ...Array.from({ length: 12 }, () => chat(attacker, 'Tell a long story.', { stream: true })),
    ]);
    // Disconnects from the streams at different positions.
    await Promise.all(answered.map(async (reply) => await reply.body?.cancel()));
    for (const { socket } of stalled) socket.destroy();
  }

  async function recorded(): Promise<{ answers: number; victims: number; unpriced: number }> {
    const [row] = await gateway.query<{ answers: number; victims: number; unpriced: number }>(sql`
      select coalesce(sum(c.attempts), 0)::bigint as answers,
        count(*) filter (where s.name = 'victim' and c.outcome = 'completed') as victims,
        count(*) filter (where c.outcome <> 'failed' and c.cost is null) as unpriced
      from calls c join spaces s on s.id = c.space_id`);
    if (row === undefined) throw new Error('no row');
    return row;
  }

  test(
    'every answer of the provider is recorded and charged once, and the other space is served',
    async () => {
      let asked = 0;
      let last: SeenCall | undefined;
      for (let wave = 1; wave <= WAVES; wave++) {
        const attacking = attack();
        for (let i = 0; i < VICTIM_CALLS; i++) {
          const reply = await chat(victim, `Reply with exactly: ${wave}-${i}`);
          expect(reply.status).toBe(200);
          expect(await reply.text()).toContain(`${wave}-${i}`);
        }
        await attacking;
        await vi.waitFor(async () => expect(await metric('requests_in_flight')).toBe(0), PATIENCE);
        const { calls } = gateway.simulator;
        asked += calls.length - (last === undefined ? 0 : calls.indexOf(last) + 1);
        last = calls.at(-1);
        const victims = wave * VICTIM_CALLS;
        await vi.waitFor(
          async () => expect(await recorded()).toEqual({ answers: asked, victims, unpriced: 0 }),
          PATIENCE,
        );
      }
      const { disagreements } = await gateway.admin('ledger.verify');
      expect(disagreements).toEqual([]);
      expect(await metric('bytes_in_flight')).toBe(0);
    },
    TEST_MS,
  );

  async function metric(name: string): Promise<number> {
    const { metricsUrl } = await gateway.admin('status');
    const text = await (await fetch(metricsUrl as string)).text();
    return Number(new RegExp(`^tollgate_${name} (\\d+)$`, 'm').exec(text)?.[1]);
  }
});
