/** Has a provider make a batch, at most once; and finds out what became of a request to that was never answered. */
import { providerProblem } from '../calls/provider-problem.ts';
import { GracePeriod } from '../kernel/grace-period.ts';
import { Problem } from '../kernel/problem.ts';
import type { Instant } from '../kernel/time.ts';
import type { BatchInput, ProviderBatch } from '../providers/batch-provider.ts';
import { NotSent } from '../providers/not-sent.ts';
import type { BatchEngine, EngineEnd, EngineRun } from './batch-engine.ts';
import type { Batch } from './batches.store.ts';
import { type PrepareTools, type ProviderPlace, prepareInput } from './prepare-input.ts';
import {
  clearIntent,
  isOtherBatch,
  writeIntent,
  writeProviderBatch,
  writeProviderFile,
  writeSending,
} from './provider-batches.store.ts';

export interface SendTools extends PrepareTools {
  /** Runs what is too large for the provider. */
  readonly own: BatchEngine;
  /** Between two looks at a batch, at most. */
  readonly pollMs: number;
  /** How long after it was sent a batch that is not there may still appear. */
  readonly unknownMs: number;
}

/** When the process is to stop, an answer to what was sent is waited for this long. */
const DRAIN_MS = 10_000;
/** What was decided longer ago is no longer acted upon: the lease may have passed to another. */
const ACT_WITHIN_MS = 5_000;
const POLL_MS_MIN = 1_000;

export async function sendBatch(
  run: EngineRun,
  place: ProviderPlace,
  { signal, tools }: { signal: AbortSignal; tools: SendTools },
): Promise<ProviderBatch | { readonly end: EngineEnd }> {
  const { batches } = place;
  const { db, clock } = tools;
  const input = await prepareInput(run, place, { signal, tools });
  if (input === null) return { end: 'stopped' };
  if (input.lines === 0) return { end: 'all' };
  if (input.lines > batches.linesMax || input.bytes > batches.bytesMax) {
    return { end: await tools.own.run(run, signal) };
  }
  await writeIntent(db, run.job, { provider: place.provider.name, lines: input.lines, at: clock.now() });
  const grace = new GracePeriod(signal, { clock, waitMs: DRAIN_MS });
  try {
    const fileId = await upload(run, { input, place }, { signal, tools });
    const mayAct = (): Promise<boolean> => stillWanted(run, signal, tools);
    const made = await batches.create({ input, fileId, mayAct }, grace.signal);
    await writeProviderBatch(db, run.job, made.id);
    return made;
  } catch (error) {
    if (error instanceof NotSent) return await unsend(run, error, tools);
    const refused = error instanceof Problem && (error.status === 400 || error.status === 413);
    if (!refused) throw error;
    const { code, detail, param } = providerProblem(error, place);
    return { end: { failed: [{ code, message: detail, param, line: null }] } };
  } finally {
    grace.end();
  }
}

/** The batch, when it was made; `absent` when it was not and can no longer be. */
export async function lookUp(
  run: EngineRun,
  { batches }: ProviderPlace,
  { signal, tools }: { signal: AbortSignal; tools: SendTools },
): Promise<ProviderBatch | 'absent' | { readonly again: Instant }> {
  const { batch, job } = run;
  const { db, clock } = tools;
  const { id: batchId, providerSentAt: sentAt, providerLines: lines, providerFileId: fileId } = batch;
  if (sentAt === null || lines === null) return 'absent';
  // A batch is made of a file whose id was committed first.
  if (batches.upload !== undefined && fileId === null) return 'absent';
  const isOther = (id: string): Promise<boolean> => isOtherBatch(db, batchId, id);
  const find = () => batches.find({ batchId, lines, sentAt, isOther }, signal);
  let found = await find();
  const believed = clock.now() >= sentAt + tools.unknownMs;
  if (found === 'absent' && believed && batches.withdraw !== undefined && fileId !== null) {
    // Whoever sleeps on the way to make it will find no file; whoever was quicker is found now.
    await batches.withdraw(fileId, signal);
    found = await find();
  }
  if (typeof found === 'object') {
    await writeProviderBatch(db, job, found.id);
    return found;
  }
  if (found === 'unclear' || !believed) return { again: nextLook(batch, tools) };
  await clearIntent(db, job);
  return 'absent';
}

/** The longer it takes, the less often it is looked at; never later than the end of its time. */
export function nextLook(batch: Batch, { clock, pollMs }: Pick<SendTools, 'clock' | 'pollMs'>): Instant {
  const now = clock.now();
  const age = now - (batch.cancellingAt ?? batch.providerSentAt ?? now);
  const look = now + Math.min(Math.max(age / 10, POLL_MS_MIN), pollMs);
  return Math.round(batch.expiresAt > now ? Math.min(look, batch.expiresAt) : look);
}

async function upload(
  { job }: EngineRun,
  { input, place }: { input: BatchInput; place: ProviderPlace },
  { signal, tools }: { signal: AbortSignal; tools: SendTools },
): Promise<string | null> {
  const { batches } = place;
  if (batches.upload === undefined) return null;
  const fileId = await batches.upload(input, signal);
  await writeProviderFile(tools.db, job, fileId);
  return fileId;
}

/** Proves that the job is still ours, and hears of a cancellation, at the last moment for either. */
async function stillWanted(
  { batch, job }: EngineRun,
  signal: AbortSignal,
  { db, clock }: SendTools,
): Promise<boolean> {
  const beganMs = clock.elapsedMs();
  const status = await writeSending(db, job, clock.now());
  const inTime = clock.now() < batch.expiresAt && clock.elapsedMs() - beganMs < ACT_WITHIN_MS;
  return status === 'in_progress' && inTime && !signal.aborted;
}

async function unsend(
  { job }: EngineRun,
  { cause }: NotSent,
  { db, clock }: SendTools,
): Promise<{ readonly end: EngineEnd }> {
  await clearIntent(db, job);
  // Something that another try may mend, or a change of mind that the next look will see.
  if (cause instanceof Problem || (cause as Error)?.name === 'UpstreamFailure') throw cause;
  return { end: { again: clock.now() } };
}
