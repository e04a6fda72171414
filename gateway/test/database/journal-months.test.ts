/** An outage of PostgreSQL over the end of a month: each call counts in the month in which it was answered. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/database/sql.ts';
import { monthOf, monthStart, nextMonth, systemClock } from '../../src/kernel/time.ts';
import { multiplyUnits, parseUnits, printUnits, sumUnits } from '../../src/kernel/units.ts';
import { engines } from '../support/engines.ts';
import { type Answer, type FrozenStage, startFrozenStage } from '../support/frozen-stage.ts';
import { PATIENCE } from '../support/patience.ts';
import { shiftedClock } from '../support/shifted-clock.ts';

const clock = shiftedClock();
const month = monthOf(systemClock.now());
const next = nextMonth(month);
/** Images until the limit is reached. */
const LIMIT_CALLS = 4;

describe.runIf(engines.includes('postgres'))('an outage over the end of a month', () => {
  let stage: FrozenStage;
  beforeAll(async () => {
    clock.shift(monthStart(next) - 60_000 - clock.now());
    stage = await startFrozenStage({ clock, metering: { journal: 'local' } });
  });
  afterAll(() => stage.stop());

  async function untilLimit(key: string): Promise<Answer[]> {
    const answers: Answer[] = [];
    do answers.push(await stage.image(key));
    while (answers.at(-1)?.status === 200);
    expect(answers.at(-1)?.status).toBe(429);
    return answers.slice(0, -1);
  }

  const cost = (answers: readonly Answer[]): string =>
    printUnits(sumUnits(answers.map((answer) => parseUnits(answer.cost as string))));

  test('calls count in their own month, for limits, usage and the journal of the ledger', async () => {
    const { key } = await stage.makePoor('edge', '100');
    const first = await stage.image(key);
    const limit = printUnits(multiplyUnits(parseUnits(first.cost as string), { count: LIMIT_CALLS, per: 1 }));
    await stage.gateway.admin('keys.limit', { space: 'edge', name: 'key-edge', month_limit: limit });
    // Keys that changed are read again, which needs the database.
    const second = await stage.image(key);
    stage.proxy.stopServer();
    const before = [first, second, ...(await untilLimit(key))];
    expect(before).toHaveLength(LIMIT_CALLS);
    // The database is still away when the month ends.
    clock.shift(120_000);
    const [after, last] = [await stage.image(key), await stage.image(key)];
    expect([after.status, last.status]).toEqual([200, 200]);
    expect(await stage.pendingCalls()).toBe(before.length);
    stage.proxy.startServer();
    await expect.poll(() => stage.pendingCalls(), PATIENCE).toBe(0);
    const inNext = [after, last, ...(await untilLimit(key))];
    expect(inNext).toHaveLength(LIMIT_CALLS);

    const totals = await stage.gateway.query<{ month: string; cost: string; requests: number }>(sql`
      select t.month, t.cost, t.requests::int as requests from month_totals t
      join spaces s on s.id = t.space_id where s.name = 'edge' order by t.month`);
    expect(totals.map(({ cost: sum, ...of }) => ({ ...of, cost: printUnits(parseUnits(sum)) }))).toEqual([
      { month, requests: before.length, cost: cost(before) },
      { month: next, requests: inNext.length, cost: cost(inNext) },
    ]);
    for (const [of, answers] of [
      [month, before],
      [next, inNext],
    ] as const) {
      const usage = await stage.gateway.admin('reports.usage', { space: 'edge', by: 'key', month: of });
      expect(usage.rows.map((row) => row.cost)).toEqual([cost(answers)]);
      const [entries] = await stage.gateway.query<{ spent: string }>(sql`
        select sum(j.spent) as spent from journal j join spaces s on s.id = j.space_id
        where s.name = 'edge' and j.kind = 'charge' and j.at >= to_timestamp(${monthStart(of) / 1_000})
          and j.at < to_timestamp(${monthStart(nextMonth(of)) / 1_000})`);
      expect(printUnits(parseUnits(entries?.spent as string))).toBe(cost(answers));
    }
    expect((await stage.gateway.admin('ledger.verify')).disagreements).toEqual([]);
  });
});
