/** One space's requests make a provider fail: others on the same route do not notice. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/database/sql.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

/** TOLLGATE_BREAKER_ROUNDS rounds in the long form. */
const ROUNDS = Number(process.env.TOLLGATE_BREAKER_ROUNDS ?? 6);
const AT_ONCE = 6;
/** More than there are failures to open a breaker, several times over. */
const CALLS_A_ROUND = 12;

let gateway: TestGateway;
let attacker: string;

beforeAll(async () => {
  gateway = await startGateway();
  await gateway.admin('spaces.create', { name: 'attacker', overage: true });
  attacker = (await gateway.admin('keys.create', { space: 'attacker', name: 'a', kind: 'shared' })).key;
});
afterAll(() => gateway.stop());

const said = (content: string): object => ({ model: 'sim-chat', messages: [{ role: 'user', content }] });

async function statusOf(content: string, key: string, more: object = {}): Promise<number> {
  const response = await gateway.chat({ ...said(content), ...more }, { authorization: `Bearer ${key}` });
  await response.text();
  return response.status;
}

test.each([
  ['500', '[[fault error-500]]'],
  ['403', '[[fault error-403]]'],
  ['a lost connection', '[[fault reset]]'],
])(
  'a space that makes a provider answer %s, many at once and again and again, costs others no call',
  async (_, poison) => {
    const victim: number[] = [];
    const attack: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const attacking = Promise.all(
        Array.from({ length: AT_ONCE }, (_, i) =>
          statusOf(`${poison} ${i}`, attacker, { stream: i % 2 === 0 }),
        ),
      );
      for (let i = 0; i < CALLS_A_ROUND; i++)
        victim.push(await statusOf(`Reply with exactly: ${i}`, gateway.key));
      attack.push(...(await attacking));
    }
    expect(victim.filter((status) => status !== 200)).toEqual([]);
    expect(victim).toHaveLength(ROUNDS * CALLS_A_ROUND);
    // The provider is spared the rest of it: nearly all of them were never sent.
    expect(attack.filter((status) => status !== 503 && status !== 502)).toEqual([]);
    expect(attack.at(-1)).toBe(503);
  },
);

test('and of each call there is one row, charged where it was answered', async () => {
  const rows = await gateway.query<{ outcome: string; charged: boolean; count: number }>(
    sql`select outcome, cost is not null as charged, count(*)::int as count from calls
        where outcome = 'completed' or cost is not null group by 1, 2`,
  );
  expect(rows).toEqual([{ outcome: 'completed', charged: true, count: 3 * ROUNDS * CALLS_A_ROUND }]);
});
