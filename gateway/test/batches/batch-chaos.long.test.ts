/**
 * Batches under kill -9 of the real program; on PostgreSQL two processes share the batches. The long form
 * (`npm run test:chaos`) runs 50 batches with 100 kills.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { parseUnits, printUnits, sumUnits } from '../../src/kernel/units.ts';
import { BAD_EVERY, type BatchChaosRun, LINES_AT_ONCE, models, runBatchChaos } from '../chaos/batch-chaos.ts';
import { engines } from '../support/engines.ts';

const kills = Number(process.env.TOLLGATE_BATCH_KILLS ?? 2);
const batches = Number(process.env.TOLLGATE_BATCHES ?? 4);
const LINES = 60;

describe.each(engines)('batches under kill -9 on %s', (engine) => {
  let run: BatchChaosRun;
  beforeAll(
    async () => {
      run = await runBatchChaos({ engine, batches, lines: LINES, kills });
      process.stderr.write(
        `batches under kill -9 on ${engine}: ${run.kills} kills, ${run.ended.length} batches of ${LINES} lines, ` +
          `the provider got ${run.asked} requests\n`,
      );
    },
    120_000 + kills * 20_000,
  );

  test('every batch ends, and retrying a request after a kill creates no second batch', () => {
    expect(run.ended.map(({ batch }) => batch.status)).toEqual(run.ended.map(() => 'completed'));
    expect(run.batches).toBe(batches);
    expect(run.leftLines).toBe(0);
  });

  test('each line is in exactly one of the two files', () => {
    const bad = Math.ceil(LINES / BAD_EVERY);
    for (const { batch, output, errors } of run.ended) {
      const ids = [...output, ...errors].map((line) => line.custom_id);
      expect(ids.length).toBe(LINES);
      expect(new Set(ids).size).toBe(LINES);
      expect(batch.request_counts).toEqual({ total: LINES, completed: LINES - bad, failed: bad });
      expect([output.length, errors.length]).toEqual([LINES - bad, bad]);
    }
  });

  test('each batch is charged exactly once, the sum of its lines, and the books agree', () => {
    const charged = new Map(run.charges.map(({ ref, spent }) => [ref, spent]));
    expect(run.charges.length).toBe(batches);
    for (const { batch, output } of run.ended) {
      const costs = output.map((line) => parseUnits(line.response?.body.estimated_cost?.amount ?? '0'));
      expect(batch.settled_units).toBe(printUnits(sumUnits(costs)));
      expect(charged.get(batch.id)).toBe(batch.settled_units);
    }
    expect(run.disagreements).toEqual([]);
  });

  test('no batch is created twice at its provider', () => {
    expect(run.made.length).toBeGreaterThan(0);
    expect(run.made).toEqual(run.made.map(() => 1));
  });

  test('a kill repeats at most the lines that were running in our own workers', () => {
    const own = run.ended.filter(({ batch }) => batch.model === models[0]).length;
    const good = own * (LINES - Math.ceil(LINES / BAD_EVERY));
    expect(run.asked).toBeGreaterThanOrEqual(good);
    expect(run.asked).toBeLessThanOrEqual(good + run.kills * LINES_AT_ONCE);
  });
});
