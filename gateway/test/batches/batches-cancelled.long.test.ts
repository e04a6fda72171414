/**
 * Batches and videos that are cancelled while they run: what the provider did is recorded and charged once. The long
 * form (`npm run test:chaos`) cancels 80 batches that our own workers run.
 */

import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import type { BatchObject } from '../../src/contract/batches.ts';
import { sql } from '../../src/database/sql.ts';
import { pause, systemClock } from '../../src/kernel/time.ts';
import { parseUnits, printUnits, sumUnits } from '../../src/kernel/units.ts';
import { BatchStage, chatLine } from '../support/batches-stage.ts';
import { changeConfig } from '../support/config.ts';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { PATIENCE } from '../support/patience.ts';
import { madeOf, numbered, providerConfig } from '../support/provider-batches-stage.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { VideoStage, videoConfig } from '../support/video-jobs-stage.ts';

const BATCHES = Number(process.env.TOLLGATE_EARLY_CANCELS ?? 10);
const LINES = 15;
/** Each batch is cancelled within this time, when a few of its lines are done. */
const CANCELLED_WITHIN_MS = 250;
const AT_ONCE = 8;

/** Cancels after a delay that differs per number; returns the status of the reply. */
async function cancelLater(
  cancel: () => Promise<Response>,
  { number, of }: { number: number; of: number },
): Promise<number> {
  await pause(systemClock, (CANCELLED_WITHIN_MS * number) / of);
  const reply = await cancel();
  await reply.arrayBuffer();
  return reply.status;
}

/** Accepted, or there was nothing left to cancel. */
const answered = [200, 409];

async function expectBooks(gateway: TestGateway): Promise<void> {
  expect((await gateway.admin('ledger.verify')).disagreements).toEqual([]);
  if (gateway.databaseUrl === null) return;
  const [server] = await gateway.query<{ deadlocks: number }>(
    sql`select deadlocks from pg_stat_database where datname = current_database()`,
  );
  expect(server?.deadlocks).toBe(0);
}

describe.each(engines)('batches cancelled early on %s', (engine) => {
  let gateway: TestGateway;
  let stage: BatchStage;

  beforeAll(async () => {
    const config = changeConfig(providerConfig(1_000), { limits: { batch_lines: 24 } });
    gateway = await startGateway({ engine, config });
    stage = new BatchStage(gateway);
  });
  afterAll(async () => {
    await gateway.stop();
  });

  async function cancelled(number: number): Promise<BatchObject> {
    const lines = Array.from({ length: LINES }, (_, i) =>
      chatLine(`l-${i}`, `[[fault slow-first-byte]] [[delay 20]] line ${number}/${i}.`, {
        model: 'own-chat',
      }),
    );
    const { id } = await stage.submitted(lines);
    expect(answered).toContain(await cancelLater(() => stage.cancel(id), { number, of: BATCHES }));
    return await stage.settled(id);
  }

  async function expectCharged(batch: BatchObject, lines: readonly string[]): Promise<void> {
    const output = await stage.lines(batch.output_file_id);
    expect([...output.keys()].sort(), batch.id).toEqual(lines.toSorted());
    const costs = [...output.values()].map((line) =>
      parseUnits(line.response?.body.estimated_cost?.amount ?? '0'),
    );
    expect(batch.settled_units).toBe(printUnits(sumUnits(costs)));
    expect(batch.request_counts?.completed).toBe(output.size);
  }

  test(
    'exactly the lines that the provider answered are in the output file and are charged, and no cancellation fails',
    async () => {
      const ends: BatchObject[] = [];
      for (let from = 0; from < BATCHES; from += AT_ONCE) {
        const numbers = Array.from({ length: Math.min(AT_ONCE, BATCHES - from) }, (_, i) => from + i);
        ends.push(...(await Promise.all(numbers.map(cancelled))));
      }
      const asked = gateway.simulator.calls.filter(({ finished }) => finished);
      for (const [number, batch] of ends.entries()) {
        const own = new RegExp(`line ${number}/(\\d+)\\.`);
        const lines = asked.flatMap(({ text }) => own.exec(text)?.[1] ?? []);
        await expectCharged(
          batch,
          lines.map((line) => `l-${line}`),
        );
      }
      await expectBooks(gateway);
      process.stderr.write(
        `early cancels on ${engine}: ${ends.filter(({ status }) => status === 'cancelled').length} of ${BATCHES} ` +
          `cancelled, ${asked.length} lines answered by the provider, all recorded and charged\n`,
      );
    },
    60_000 + BATCHES * 2_000,
  );

  test.each(['their-chat', 'their-claude'])(
    '%s: the lines that a provider finished before a cancellation are recorded and charged',
    async (model) => {
      const ends = await Promise.all(
        Array.from({ length: 4 }, async (_, number) => {
          const { id } = await stage.submitted(numbered(model, 6, 'slow'));
          expect(answered).toContain(await cancelLater(() => stage.cancel(id), { number, of: 4 }));
          return await stage.settled(id);
        }),
      );
      for (const batch of ends) {
        const made = madeOf(gateway, batch.id);
        expect(made.length).toBeLessThanOrEqual(1);
        const { size } = await stage.lines(batch.output_file_id);
        expect(size).toBe(made[0]?.results?.counts.ok ?? 0);
        expect(batch.request_counts?.completed).toBe(size);
      }
      await expectBooks(gateway);
    },
  );
});

describe.runIf(engines.includes('postgres'))('batches whose database connection fails while they run', () => {
  test.each(['freezeOpen', 'reset'] as const)(
    'after %s every line is recorded, and no line is sent twice',
    async (trouble) => {
      const { hostname, port } = new URL(inject('postgresUrl') as string);
      const proxy = await startTcpProxy({ host: hostname, port: Number(port) });
      const config = changeConfig(providerConfig(1_000), { limits: { batch_lines: 8 } });
      const gateway = await startGateway({ engine: 'postgres', config, through: proxy });
      const stage = new BatchStage(gateway);
      const lines = Array.from({ length: 40 }, (_, i) =>
        chatLine(`l-${i}`, `[[fault slow-first-byte]] [[delay 50]] ${i}`, { model: 'own-chat' }),
      );
      const { id } = await stage.submitted(lines);
      await vi.waitFor(() => expect(gateway.simulator.calls.length).toBeGreaterThan(10), PATIENCE);
      proxy[trouble]();
      const batch = await stage.settled(id);
      expect((await stage.lines(batch.output_file_id)).size).toBe(lines.length);
      expect(gateway.simulator.calls.length).toBe(lines.length);
      await expectBooks(gateway);
      await gateway.stop();
      await proxy.stop();
    },
  );
});

describe.each(engines)('cancelled videos on %s', (engine) => {
  let gateway: TestGateway;
  let stage: VideoStage;

  beforeAll(async () => {
    gateway = await startGateway({ engine, config: videoConfig() });
    stage = new VideoStage(gateway);
  });
  afterAll(async () => {
    await gateway.stop();
  });

  test('a cancelled video ends as it did at its provider: made and charged once, or neither', async () => {
    await Promise.all(
      Array.from({ length: 6 }, async (_, number) => {
        const prompt = `kite ${number}`;
        const { id } = await stage.created(prompt, { model: 'made' });
        expect(answered).toContain(await cancelLater(() => stage.cancel(id), { number, of: 6 }));
        const job = await stage.ended(id);
        expect(stage.made(prompt)).toBeLessThanOrEqual(1);
        const [video] = gateway.simulator.videos.videos.filter((made) => made.prompt === prompt);
        const there = video === undefined ? null : gateway.simulator.videos.look(video).state;
        expect(job.status).toBe(there === 'succeeded' ? 'succeeded' : 'cancelled');
        const charges = await gateway.query(sql`select 1 from journal where ref = ${id}`);
        expect(charges.length).toBe(job.status === 'succeeded' ? 1 : 0);
      }),
    );
    await expectBooks(gateway);
  });
});
