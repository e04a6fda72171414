/** A batch that runs at its provider: looking how far it is, stopping it, and reading what came of it. */
import { providerProblem } from '../calls/provider-problem.ts';
import { type ProviderBatch, ResultsGone } from '../providers/batch-provider.ts';
import type { EngineEnd, EngineRun } from './batch-engine.ts';
import { listDoneLines } from './batch-lines.store.ts';
import { type BatchError, findBatch } from './batches.store.ts';
import { doubtResults } from './doubt-results.ts';
import { type ImportTools, importResults } from './import-results.ts';
import { inputLines } from './input-lines.ts';
import type { ProviderPlace } from './prepare-input.ts';
import { writeDoubt, writeStopped } from './provider-batches.store.ts';
import { nextLook, type SendTools } from './send-to-provider.ts';

export interface FollowTools extends ImportTools, Pick<SendTools, 'pollMs'> {}

/** Errors of a whole batch that are shown. */
const ERRORS_MAX = 100;

export async function followBatch(
  run: EngineRun,
  { place, told }: { place: ProviderPlace; told: ProviderBatch | null },
  { signal, tools }: { signal: AbortSignal; tools: FollowTools },
): Promise<EngineEnd> {
  const { batch } = run;
  if (told === null) return await lost(run, tools);
  if (told.state === 'running') {
    const unwanted = batch.status === 'cancelling' || tools.clock.now() >= batch.expiresAt;
    if (unwanted && !told.stopping) await place.batches.cancel(told.id, signal);
    return { again: nextLook(batch, tools) };
  }
  if (told.state === 'failed') {
    // One that was to stop has no more to tell than that it did.
    if (batch.status === 'cancelling') return 'cancelled';
    return { failed: await errorsOf(run, { place, told }, tools) };
  }
  await readResults(run, { place, ended: told }, { signal, tools });
  return await endOf(run, told, tools);
}

/** Reads the results of a batch that ended, and writes down whether they can be relied on. */
export async function readResults(
  run: EngineRun,
  { place, ended }: { place: ProviderPlace; ended: ProviderBatch },
  { signal, tools }: { signal: AbortSignal; tools: FollowTools },
): Promise<void> {
  let doubt: string | null;
  try {
    const seen = await importResults(run, { place, ended }, { signal, tools });
    const sent = run.batch.providerLines ?? 0;
    doubt = doubtResults(seen, { sent, counts: ended.counts, completed: ended.state === 'completed' });
  } catch (error) {
    if (!(error instanceof ResultsGone)) throw error;
    doubt = "the provider no longer has the batch's results";
  }
  await writeDoubt(tools.db, run.job, doubt);
}

async function endOf({ batch, job }: EngineRun, told: ProviderBatch, tools: FollowTools): Promise<EngineEnd> {
  const now = tools.clock.now();
  const { completed, failed, status, total } = (await findBatch(tools.db, batch.id)) ?? batch;
  if (told.state === 'completed' || completed + failed === total) return 'all';
  if (status === 'in_progress') {
    if (told.state === 'expired' || now >= batch.expiresAt) return 'expired';
    await writeStopped(tools.db, job, now);
  }
  return 'cancelled';
}

/** What it did and what it cost is not known, so an operator has to look. */
async function lost({ batch, job }: EngineRun, { db }: FollowTools): Promise<EngineEnd> {
  await writeDoubt(db, job, 'the provider no longer has the batch');
  if (batch.status === 'cancelling') return 'cancelled';
  const message = 'The provider lost the batch; none of its results can be had.';
  return { failed: [{ code: 'upstream_error', message, param: null, line: null }] };
}

async function errorsOf(
  run: EngineRun,
  { place, told }: { place: ProviderPlace; told: ProviderBatch },
  tools: FollowTools,
): Promise<BatchError[]> {
  const errors = told.errors.slice(0, ERRORS_MAX);
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
    const { code, detail, param } = providerProblem(problem, place);
    return { code, message: detail, param, line: line === null ? null : (rows.get(line) ?? null) };
  });
}

/** The provider counts the lines that it was sent; the caller those of their file. */
async function rowsOf(
  run: EngineRun,
  sentLines: readonly number[],
  { db }: FollowTools,
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
