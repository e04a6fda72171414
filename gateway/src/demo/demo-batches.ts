/**
 * The batches of the demo's past, one for every status. They are submitted, run and settled by the product's own
 * functions; only the engine is replaced, which stores invented answers. Batches that have not ended are left to the
 * workers of the server, but not before the next day, so that they can be seen.
 */

import { beginBatchUpload } from '../batch-files/upload-batch-file.ts';
import { type AdvanceTools, advanceBatch, BATCH_JOB } from '../batches/advance-batch.ts';
import type { BatchEngine, EngineEnd } from '../batches/batch-engine.ts';
import { insertLines } from '../batches/batch-lines.store.ts';
import { type Batch, moveBatch } from '../batches/batches.store.ts';
import { cancelBatch } from '../batches/cancel-batch.ts';
import { roughLineSize } from '../batches/line-parts.ts';
import { submitBatch } from '../batches/submit-batch.ts';
import { chargedPrice } from '../catalog/charged-price.ts';
import { Once } from '../idempotency/once.ts';
import { claimJobs, type LeasedJob, releaseJob } from '../jobs/jobs.store.ts';
import { HOUR_MS, MINUTE_MS } from '../kernel/durations.ts';
import type { Instant } from '../kernel/time.ts';
import { type Admission, noReservation } from '../metering/admission.ts';
import { type BatchContent, inputFile, resultLines } from './demo-batch-lines.ts';
import type { DemoEvent, DemoPast } from './demo-event.ts';
import { DemoRandom } from './demo-random.ts';
import type { DemoScene } from './demo-scene.ts';
import { SPACE } from './demo-workloads.ts';

interface DemoBatch extends BatchContent {
  readonly name: string;
  readonly key: string;
  readonly at: Instant;
  /** How long its lines ran. */
  readonly minutes: number;
  readonly end:
    | 'all'
    | 'cancelled'
    | 'expired'
    | 'failed'
    | 'validating'
    | 'in_progress'
    | 'cancelling'
    | 'finalizing'
    | 'queued';
  /** How many lines have a result; all of them by default. */
  readonly done?: number;
  readonly failed?: readonly number[];
  readonly withoutUsage?: readonly number[];
}

const chat = { url: '/v1/chat/completions', model: 'sim-chat' } as const;
const reviews = {
  ...chat,
  key: 'support-bot',
  asks: 'Summarise in one sentence the review no.',
  answers: 'The customer likes the umbrella, but it arrived two days late.',
};
const products = {
  ...chat,
  key: 'web-shop',
  asks: 'Write a product description for item no.',
  answers: 'A light raincoat for the rainy season, with sealed seams and a packable hood.',
};
const catalogue = {
  url: '/v1/embeddings' as const,
  model: 'sim-embed',
  key: 'search-index',
  asks: 'Title and description of item no.',
  answers: '',
};

export function batchEvents(past: DemoPast): DemoEvent[] {
  return planOf(past).map((plan) => ({ at: plan.at, write: (scene) => writeBatch(plan, scene, past) }));
}

function planOf(past: DemoPast): DemoBatch[] {
  const ended = (daysAgo: number, hour: number) => past.at(daysAgo, hour);
  return [
    { ...reviews, name: 'reviews', at: ended(20, 9.2), lines: 60, minutes: 14, end: 'all', failed: [17, 42] },
    { ...catalogue, name: 'catalogue', at: ended(13, 14), lines: 80, minutes: 6, end: 'all' },
    { ...products, name: 'products', at: ended(9, 9.4), lines: 30, minutes: 3, end: 'failed', done: 0 },
    { ...products, name: 'products', at: ended(8, 15), lines: 50, minutes: 9, end: 'cancelled', done: 22 },
    { ...reviews, name: 'reviews', at: ended(6, 9.2), lines: 60, minutes: 16, end: 'all', failed: [8] },
    {
      ...reviews,
      name: 'reviews',
      at: ended(5, 15.5),
      lines: 70,
      minutes: 24 * 60,
      end: 'expired',
      done: 48,
    },
    {
      ...reviews,
      model: 'sim-chat-classic',
      name: 'reviews-without-usage',
      at: ended(4, 10),
      lines: 40,
      minutes: 11,
      end: 'all',
      withoutUsage: [5, 6, 21],
    },
    { ...products, name: 'products', at: past.minutesAgo(190), lines: 40, minutes: 12, end: 'queued' },
    { ...reviews, name: 'reviews', at: past.minutesAgo(95), lines: 60, minutes: 20, end: 'finalizing' },
    {
      ...products,
      name: 'products',
      at: past.minutesAgo(50),
      lines: 90,
      minutes: 30,
      end: 'in_progress',
      done: 37,
    },
    {
      ...reviews,
      name: 'reviews-again',
      at: past.minutesAgo(35),
      lines: 60,
      minutes: 12,
      end: 'cancelling',
      done: 19,
    },
    {
      ...catalogue,
      name: 'catalogue',
      at: past.minutesAgo(3),
      lines: 80,
      minutes: 0,
      end: 'validating',
      done: 0,
    },
  ];
}

async function writeBatch(plan: DemoBatch, scene: DemoScene, past: DemoPast): Promise<void> {
  const principal = await scene.key(SPACE, plan.key);
  const { db, clock, catalog, blobs, keeper } = scene;
  const once = new Once({ db, clock });
  const upload = await beginBatchUpload(
    { principal, key: null },
    { db, keeper, once, catalog, clock, sizeOf: roughLineSize },
  );
  await upload.append(inputFile(plan));
  const file = await upload.finish(`${plan.name}.jsonl`);
  clock.forward(2_000);
  const request = {
    input_file_id: file.id,
    endpoint: plan.url,
    completion_window: '24h' as const,
    metadata: { name: plan.name, source: 'demo' },
  };
  const admission: Pick<Admission, 'reserve'> = {
    reserve: (_principal, _units, work) => work(noReservation('')),
  };
  const batch = await submitBatch(
    { principal, request, key: null, tags: null },
    { db, blobs, clock, once, catalog, admission, reservesBatches: true },
  );
  const job = await leaseOf(batch, scene);
  if (await advance({ plan, batch, job }, scene)) return;
  await releaseJob(scene.tx, job, { dueAt: past.until + 20 * HOUR_MS, failure: null });
}

/** True when the batch has ended, and with it its job. */
async function advance(
  { plan, batch, job }: { plan: DemoBatch; batch: Batch; job: LeasedJob },
  scene: DemoScene,
): Promise<boolean> {
  const { tx, clock, db, blobs, catalog, keeper } = scene;
  if (plan.end === 'validating') return false;
  if (plan.end === 'finalizing' || plan.end === 'queued') {
    await moveBatch(tx, batch.id, { to: 'in_progress', at: clock.now() });
    await runLines(plan, job, scene);
    await moveBatch(tx, batch.id, { to: 'finalizing', at: clock.now() });
    clock.forward(4_000);
    if (plan.end === 'queued') await moveBatch(tx, batch.id, { to: 'completed', at: clock.now() });
    return false;
  }
  const engine: BatchEngine = { run: () => runLines(plan, job, scene) };
  const tools: AdvanceTools = { db, clock, keeper, blobs, catalog, engineOf: () => engine };
  const result = await advanceBatch(job, new AbortController().signal, tools);
  if (result === 'ended') return true;
  const principal = await scene.key(SPACE, plan.key);
  if (plan.end === 'cancelling') await cancelBatch({ principal, id: batch.id }, { db, clock });
  return false;
}

async function runLines(plan: DemoBatch, job: LeasedJob, scene: DemoScene): Promise<EngineEnd> {
  const { clock } = scene;
  const model = scene.catalog().models.get(plan.model);
  if (model === undefined) throw new Error(`the demo has no model ${plan.model}`);
  const random = new DemoRandom(`${plan.name} ${plan.at}`);
  const { done = plan.lines, failed = [], withoutUsage = [], end } = plan;
  const range = { from: 1, to: done, failed, withoutUsage };
  const price = chargedPrice(model, await scene.key(SPACE, plan.key), plan.at);
  const lines = resultLines(plan, range, { model, price, at: clock.now(), random });
  if (lines.length > 0) await insertLines(scene.tx, job, lines);
  clock.forward(plan.minutes * MINUTE_MS);
  if (end === 'cancelled' || end === 'expired') {
    if (end === 'cancelled') await moveBatch(scene.tx, job.subject, { to: 'cancelling', at: clock.now() });
    return end;
  }
  if (end === 'failed') return { failed: [PROVIDER_REJECTED] };
  return end === 'in_progress' || end === 'cancelling' ? { again: clock.now() } : 'all';
}

const PROVIDER_REJECTED = {
  code: 'upstream_error',
  param: null,
  line: null,
  message: 'The provider rejected the batch. No line was run.',
};

/** Leased in the transaction that submits it, so the workers of the server never see it without a lease. */
async function leaseOf({ id }: Batch, { tx, clock }: DemoScene): Promise<LeasedJob> {
  const now = clock.now();
  const claim = { kinds: [BATCH_JOB], now, expiredBefore: null, leaseUntil: now + HOUR_MS, jobsMax: 10 };
  const job = (await claimJobs(tx, claim)).find(({ subject }) => subject === id);
  if (job === undefined) throw new Error(`the job of ${id} is missing`);
  return job;
}
