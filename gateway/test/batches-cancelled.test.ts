/**
 * Batches that are cancelled while their lines run: whatever the provider answered is recorded and charged, once.
 * The long form (`npm run test:chaos`) cancels 80.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BatchObject } from '../src/contract/batches.ts';
import { sql } from '../src/database/sql.ts';
import { pause, systemClock } from '../src/kernel/time.ts';
import { parseUnits, printUnits, sumUnits } from '../src/kernel/units.ts';
import type { Verdict } from '../src/metering/verify-books.store.ts';
import { BatchStage, chatLine } from './support/batches-stage.ts';
import { engines } from './support/engines.ts';
import { startGateway, type TestGateway, testConfig } from './support/gateway.ts';

const BATCHES = Number(process.env.TOLLGATE_EARLY_CANCELS ?? 16);
const LINES = 15;
/** A batch is cancelled somewhere in this time, by which a few of its lines are done. */
const CANCELLED_WITHIN_MS = 250;
const AT_ONCE = 8;

describe.each(engines)('batches that are cancelled early on %s', (engine) => {
  let gateway: TestGateway;
  let stage: BatchStage;

  beforeAll(async () => {
    const config = testConfig({ limits: 'limits: { batch_lines: 24 }' })
      .replace('models:\n  sim-chat: {', 'models:\n  sim-chat: { batch: true,')
      .replace('sim-chat: { input: 2.5,', 'sim-chat: { batch_input: 1.25, batch_output: 5, input: 2.5,');
    gateway = await startGateway({ engine, config });
    stage = new BatchStage(gateway);
  });
  afterAll(async () => {
    await gateway.stop();
  });

  /** Answers how the cancellation was answered, and the batch once it is settled. */
  async function cancelled(number: number): Promise<{ status: number; batch: BatchObject }> {
    const lines = Array.from({ length: LINES }, (_, i) =>
      chatLine(`l-${i}`, `[[fault slow-first-byte]] [[delay 20]] line ${number}/${i}.`),
    );
    const { id } = await stage.submitted(lines);
    await pause(systemClock, (CANCELLED_WITHIN_MS * number) / BATCHES);
    const reply = await stage.cancel(id);
    await reply.arrayBuffer();
    return { status: reply.status, batch: await stage.settled(id) };
  }

  test(
    'no cancellation fails; the lines that the provider answered are those in the result file, and those charged',
    async () => {
      const ends: Array<{ status: number; batch: BatchObject }> = [];
      for (let from = 0; from < BATCHES; from += AT_ONCE) {
        const numbers = Array.from({ length: Math.min(AT_ONCE, BATCHES - from) }, (_, i) => from + i);
        ends.push(...(await Promise.all(numbers.map(cancelled))));
      }
      expect(ends.map(({ status }) => status).filter((status) => status !== 200 && status !== 409)).toEqual(
        [],
      );
      for (const [number, { batch }] of ends.entries()) {
        const answered = gateway.simulator.calls
          .filter(({ finished }) => finished)
          .flatMap(({ text }) => new RegExp(`line ${number}/(\\d+)\\.`).exec(text)?.[1] ?? []);
        const output = await stage.lines(batch.output_file_id);
        expect([...output.keys()].sort(), batch.id).toEqual(answered.map((line) => `l-${line}`).sort());
        const costs = [...output.values()].map((line) =>
          parseUnits(line.response?.body.estimated_cost?.amount ?? '0'),
        );
        expect(batch.settled_units).toBe(printUnits(sumUnits(costs)));
        expect(batch.request_counts?.completed).toBe(output.size);
      }
      expect((await gateway.admin<Verdict>('ledger.verify')).disagreements).toEqual([]);
      if (engine === 'postgres') {
        const [server] = await gateway.query<{ deadlocks: number }>(
          sql`select deadlocks from pg_stat_database where datname = current_database()`,
        );
        expect(server?.deadlocks).toBe(0);
      }
      process.stderr.write(
        `early cancels on ${engine}: ${ends.filter(({ batch }) => batch.status === 'cancelled').length} of ${BATCHES} cancelled, ` +
          `${gateway.simulator.calls.length} lines answered, all recorded\n`,
      );
    },
    60_000 + BATCHES * 2_000,
  );
});
