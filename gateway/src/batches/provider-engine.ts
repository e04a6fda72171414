/** The engine for batches that the provider runs itself. provider-jobs/ makes sure that each is created once. */
import { advanceProviderJob, untilStopped } from '../provider-jobs/advance-provider-job.ts';
import type { ProviderJob, RouteTools, Search } from '../provider-jobs/provider-job.ts';
import type { ProviderBatch } from '../providers/batch-provider.ts';
import type { BatchEngine, EngineEnd, EngineRun } from './batch-engine.ts';
import { type BatchRoute, findBatchRoute } from './batch-route.ts';
import { type Batch, findBatch } from './batches.store.ts';
import { type CreateProviderBatchTools, createProviderBatch } from './create-provider-batch.ts';
import { type FollowProviderBatchTools, followProviderBatch, readResults } from './follow-provider-batch.ts';
import { committedBatchState, providerBatches } from './provider-batches.store.ts';

export interface ProviderEngineTools extends CreateProviderBatchTools, FollowProviderBatchTools, RouteTools {}

export function providerEngine(tools: ProviderEngineTools): BatchEngine {
  return {
    async run(run, signal) {
      const turn = { signal, tools };
      return await untilStopped(turn, async () =>
        advanceProviderJob(providerBatch(run, routeOf(run, tools), tools), turn),
      );
    },

    async readAgain(run, signal) {
      const { providerBatchId: id } = run.batch;
      if (id === null) return;
      const from = routeOf(run, tools);
      const ended = await from.batches.status(id, signal);
      // The results of a lost or failed batch cannot be verified.
      if (ended === null || ended.state === 'running' || ended.state === 'failed') return;
      await readResults(run, { from, ended }, { signal, tools });
    },

    async forget(batch, signal) {
      const { providerBatchId: id, providerFileId: fileId } = batch;
      if (id !== null) await findBatchRoute(batch, tools)?.batches.remove({ id, fileId }, signal);
    },
  };
}

function providerBatch(
  run: EngineRun,
  at: BatchRoute,
  tools: ProviderEngineTools,
): ProviderJob<ProviderBatch, EngineEnd> {
  const { batch } = run;
  const { completed, failed, status, total } = batch;
  return {
    lease: run.job,
    table: providerBatches,
    state: committedBatchState(batch),
    search: searchFor(batch, at),
    async reload() {
      return providerBatch({ ...run, batch: (await findBatch(tools.db, batch.id)) ?? batch }, at, tools);
    },
    status: (id, signal) => at.batches.status(id, signal),
    follow: (remote, signal) => followProviderBatch(run, { at, remote }, { signal, tools }),
    endBeforeCreate() {
      if (status === 'cancelling') return completed + failed < total ? 'cancelled' : 'all';
      return tools.clock.now() >= batch.expiresAt ? 'expired' : null;
    },
    create: (signal) => createProviderBatch(run, at, { signal, tools }),
    endUnknowable() {
      throw new Error('every provider with batches can list them');
    },
  };
}

/** Null when nothing can exist: a batch is created from a file whose id is committed first. */
function searchFor(batch: Batch, { batches }: BatchRoute): Search<ProviderBatch> | null {
  const { id: batchId, providerFileId: fileId, providerLines: lines } = batch;
  if (lines === null || (batches.upload !== undefined && fileId === null)) return null;
  const find: Search<ProviderBatch>['find'] = (sent, signal) =>
    batches.find({ batchId, lines, ...sent }, signal);
  if (batches.withdraw === undefined || fileId === null) return { find };
  return { find, withdraw: async (signal) => await batches.withdraw?.(fileId, signal) };
}

function routeOf({ batch }: EngineRun, tools: ProviderEngineTools): BatchRoute {
  const route = findBatchRoute(batch, tools);
  if (route !== null) return route;
  throw new Error(
    `no route of the model ${batch.model} leads to ${batch.provider ?? 'a provider with batches'}; ` +
      'the batch continues when the catalogue has one again',
  );
}
