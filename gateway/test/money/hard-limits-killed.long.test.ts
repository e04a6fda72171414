/**
 * Hard limits over three processes that are killed with kill -9. The long form (`npm run test:chaos`) makes
 * TOLLGATE_LIMIT_CALLS calls with TOLLGATE_LIMIT_KILLS kills.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { printUnits, sumUnits } from '../../src/kernel/units.ts';
import { CALL_MOST, type LimitChaosRun, runLimitChaos } from '../chaos/limit-chaos.ts';
import { engines } from '../support/engines.ts';
import { WORK_MS_MAX } from '../support/patience.ts';

const calls = Number(process.env.TOLLGATE_LIMIT_CALLS ?? 300);
const kills = Number(process.env.TOLLGATE_LIMIT_KILLS ?? 2);
/** A dead process is found after 15 s, and its slices within 5 s more. */
const FREE_AFTER_MS = 30_000;

describe.skipIf(!engines.includes('postgres')).each([
  ['hard limits', 'units'],
  ['hard budgets by tag and session', 'budgets'],
] as const)('%s under kill -9 of three processes', (name, by) => {
  let run: LimitChaosRun;
  beforeAll(
    async () => {
      run = await runLimitChaos({ calls, times: kills, trouble: 'kill -9', by });
      const { limit, spent, answered, refused, broken, freeMs } = run;
      process.stderr.write(
        `${name} under kill -9: ${kills} kills, ${answered} answers, ${broken} broken calls, ${refused} refusals; ` +
          `${printUnits(spent)} of ${printUnits(limit)} units spent (${(Number(spent) / Number(limit)) * 100} %); ` +
          `what the killed had was free after ${Math.round(Math.min(...freeMs))} to ${Math.round(Math.max(...freeMs))} ms\n`,
      );
    },
    240_000 + kills * 20_000 + calls * 50,
  );

  test('no limit is exceeded, and what is counted is what calls cost', () => {
    for (const { limit, spent } of run.walls) expect(spent).toBeLessThanOrEqual(limit);
    expect(sumUnits(run.walls.map(({ spent }) => spent))).toBe(run.spent);
  });

  test('everything can be used, but for less than one call may cost', () => {
    for (const { limit, spent } of run.walls) {
      expect(Number(spent)).toBeGreaterThanOrEqual(Number(limit) * 0.98);
      expect(limit - spent).toBeLessThan(CALL_MOST);
    }
    expect(run.last).toEqual(run.last.map(() => (by === 'units' ? 402 : 429)));
  });

  test('what killed processes had is free again within 30 s', () => {
    expect(run.freeMs).toHaveLength(kills);
    expect(Math.max(...run.freeMs)).toBeLessThan(FREE_AFTER_MS);
    expect(run.unused).toBe(0n);
  });

  test('the books agree', () => {
    expect(run.disagreements).toEqual([]);
  });

  test('in every dimension and pair of tags, end users and sessions the rows add up to what was spent', () => {
    expect(run.attributed).toEqual(run.attributed.map(() => run.spent));
  });
});

describe.skipIf(!engines.includes('postgres')).each([
  ['paused until others take them for dead', 'pause', 1],
  ['cut off from the database in the middle of statements', 'disconnect', 4],
] as const)('hard limits over three processes that are %s', (_, trouble, times) => {
  test(
    'are used up and not exceeded, but for calls that a paused process had in hand',
    async () => {
      const run = await runLimitChaos({ calls: 300, times, trouble });
      const { limit, spent, inHand, unused, disagreements, last } = run;
      process.stderr.write(
        `hard limits, ${trouble}: ${printUnits(spent)} of ${printUnits(limit)} units spent, ${inHand} calls in hand\n`,
      );
      expect(spent).toBeLessThanOrEqual(limit + CALL_MOST * BigInt(inHand));
      expect(limit - spent).toBeLessThan(CALL_MOST);
      expect(last).toEqual(last.map(() => 402));
      expect(unused).toBe(0n);
      expect(disagreements).toEqual([]);
    },
    WORK_MS_MAX,
  );
});
