/** Creates a batch at its provider: prepares the input, uploads it where the provider needs a file, and submits it. */
import { providerProblem } from '../calls/provider-problem.ts';
import { Problem } from '../kernel/problem.ts';
import { UpstreamFailure } from '../net/upstream-call.ts';
import { createOnce } from '../provider-jobs/create-once.ts';
import type { Creation, ProviderJobTools, Turn } from '../provider-jobs/provider-job.ts';
import type { BatchInput, ProviderBatch } from '../providers/batch-provider.ts';
import type { BatchEngine, EngineEnd, EngineRun } from './batch-engine.ts';
import type { BatchRoute } from './batch-route.ts';
import { type PrepareTools, prepareInput } from './prepare-input.ts';
import { providerBatches, writeProviderFile } from './provider-batches.store.ts';

export interface CreateProviderBatchTools extends PrepareTools, ProviderJobTools {
  /** Runs batches that are too large for the provider. */
  readonly own: BatchEngine;
}

export async function createProviderBatch(
  run: EngineRun,
  to: BatchRoute,
  turn: Turn<CreateProviderBatchTools>,
): Promise<Creation<ProviderBatch, EngineEnd>> {
  const { batches, provider } = to;
  const { signal, tools } = turn;
  const input = await prepareInput(run, to, turn);
  if (input === null) return { instead: 'stopped' };
  if (input.lines === 0) return { instead: 'all' };
  if (input.lines > batches.linesMax || input.bytes > batches.bytesMax) {
    return { instead: await tools.own.run(run, signal) };
  }
  const result = await createOnce(
    {
      lease: run.job,
      table: providerBatches,
      intent: { provider: provider.name, details: { provider_lines: input.lines } },
      expiresAt: run.batch.expiresAt,
      async create(mayAct, createSignal) {
        const fileId = await upload(run, { input, to }, turn);
        return await batches.create({ input, fileId, mayAct }, createSignal);
      },
      meaningOf: ({ status }) => (status === 400 || status === 413 ? 'rejected' : 'unknown'),
    },
    turn,
  );
  if ('remote' in result) return result;
  if ('rejected' in result) {
    const { code, detail, param } = providerProblem(result.rejected, to);
    return { instead: { failed: [{ code, message: detail, param, line: null }] } };
  }
  const { notCreated: cause } = result;
  // Trouble with the provider is retried with backoff; anything else shows in the state of the batch.
  if (cause instanceof Problem || cause instanceof UpstreamFailure) throw cause;
  return { instead: { again: tools.clock.now() } };
}

/** The id of the file is committed first, so that looking the batch up can withdraw the file. */
async function upload(
  { job }: EngineRun,
  { input, to }: { input: BatchInput; to: BatchRoute },
  { signal, tools }: Turn<CreateProviderBatchTools>,
): Promise<string | null> {
  const { batches } = to;
  if (batches.upload === undefined) return null;
  const fileId = await batches.upload(input, signal);
  await writeProviderFile(tools.db, job, fileId);
  return fileId;
}
