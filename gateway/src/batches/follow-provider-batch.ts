/** Polls a batch at its provider, cancels it when asked, and reads its results when it has ended. */
import { providerProblem } from '../calls/provider-problem.ts';
import { nextPoll } from '../provider-jobs/next-poll.ts';
import type { ProviderJobTools, Turn } from '../provider-jobs/provider-job.ts';
import { type ProviderBatch, ResultsGone } from '../providers/batch-provider.ts';
import type { EngineEnd, EngineRun } from './batch-engine.ts';
import { listDoneLines } from './batch-lines.store.ts';
import type { BatchRoute } from './batch-route.ts';
import { type BatchError, findBatch } from './batches.store.ts';
import { type ImportTools, importResults } from './import-results.ts';
import { inputLines } from './input-lines.ts';
import { committedBatchState, writeMismatch, writeStopped } from './provider-batches.store.ts';
import { verifyResults } from './verify-results.ts';

export interface FollowProviderBatchTools extends ImportTools, Pick<ProviderJobTools, 'pollMs'> {}

/** The most errors of a whole batch that are shown. */
const ERRORS_MAX = 100;

/** `remote` is null when the provider no longer has the batch. */
export async function followProviderBatch(
  run: EngineRun,
  { at, remote }: { at: BatchRoute; remote: ProviderBatch | null },
  turn: Turn<FollowProviderBatchTools>,
): Promise<EngineEnd> {
  const { batch } = run;
  const { signal, tools } = turn;
  if (remote === null) return await lost(run, tools);
  if (remote.state === 'running') {
    const unwanted = batch.status === 'cancelling' || tools.clock.now() >= batch.expiresAt;
    if (unwanted && !remote.stopping) await at.batches.cancel(remote.id, signal);
    return { again: nextPoll(committedBatchState(batch), tools) };
  }
  if (remote.state === 'failed') {
    // The caller asked for a cancellation, so the errors do not matter.
    if (batch.status === 'cancelling') return 'cancelled';
    return { failed: await errorsOf(run, { at, remote }, tools) };
  }
  await readResults(run, { from: at, ended: remote }, turn);
  return await endOf(run, remote, tools);
}

/** Reads the results of a batch that has ended, and commits why they cannot be settled, if they cannot. */
export async function readResults(
  run: EngineRun,
  { from, ended }: { from: BatchRoute; ended: ProviderBatch },
  turn: Turn<FollowProviderBatchTools>,
): Promise<void> {
  let mismatch: string | null;
  try {
    const seen = await importResults(run, { from, ended }, turn);
    const sent = run.batch.providerLines ?? 0;
    mismatch = verifyResults(seen, { sent, counts: ended.counts, completed: ended.state === 'completed' });
  } catch (error) {
    if (!(error instanceof ResultsGone)) throw error;
    mismatch = "the provider no longer has the batch's results";
  }
  await writeMismatch(turn.tools.db, run.job, mismatch);
}

async function endOf(
  { batch, job }: EngineRun,
  remote: ProviderBatch,
  tools: FollowProviderBatchTools,
): Promise<EngineEnd> {
  const now = tools.clock.now();
  const { completed, failed, status, total } = (await findBatch(tools.db, batch.id)) ?? batch;
  if (remote.state === 'completed' || completed + failed === total) return 'all';
  if (status === 'in_progress') {
    if (remote.state === 'expired' || now >= batch.expiresAt) return 'expired';
    await writeStopped(tools.db, job, now);
  }
  return 'cancelled';
}

/** What ran and what it cost is unknown, so an operator has to decide. */
async function lost({ batch, job }: EngineRun, { db }: FollowProviderBatchTools): Promise<EngineEnd> {
  await writeMismatch(db, job, 'the provider no longer has the batch');
  if (batch.status === 'cancelling') return 'cancelled';
  const message = 'The provider lost the batch; its results are not available.';
  return { failed: [{ code: 'upstream_error', message, param: null, line: null }] };
}

async function errorsOf(
  run: EngineRun,
  { at, remote }: { at: BatchRoute; remote: ProviderBatch },
  tools: FollowProviderBatchTools,
): Promise<BatchError[]> {
  const errors = remote.errors.slice(0, ERRORS_MAX);
  if (errors.length === 0) {
    const message = 'The provider could not run the batch, and did not say why.';
    return [{ code: 'upstream_error', message, param: null, line: null }];
  }
  const rows = await rowsOf(
    run,
    errors.flatMap(({ line }) => line ?? []),
    tools,
  );
  return errors.map(({ problem, line }) => {
    const { code, detail, param } = providerProblem(problem, at);
    return { code, message: detail, param, line: line === null ? null : (rows.get(line) ?? null) };
  });
}

/** The provider numbers the lines that it was sent; the caller knows the rows of the uploaded file. */
async function rowsOf(
  run: EngineRun,
  sentLines: readonly number[],
  { db }: FollowProviderBatchTools,
): Promise<Map<number, number>> {
  const rows = new Map<number, number>();
  if (sentLines.length === 0) return rows;
  const done = new Set(await listDoneLines(db, run.batch.id));
  const input = await run.input();
  try {
    let sent = 0;
    for await (const { line } of inputLines(input)) {
      if (!done.has(line) && sentLines.includes(++sent)) rows.set(sent, line);
    }
  } finally {
    input.destroy();
  }
  return rows;
}
