/**
 * The engine whose lines run in a batch of the provider's. The provider is asked to make it at most once:
 * that it will be is committed before anything is sent, and what was sent and never answered is looked for
 * before anything is sent again. Whoever takes the batch up after a crash goes on from what is committed.
 */
import { JobLost } from '../jobs/jobs.store.ts';
import type { ProviderBatch } from '../providers/batch-provider.ts';
import type { BatchEngine, EngineEnd, EngineRun } from './batch-engine.ts';
import { findBatch } from './batches.store.ts';
import { type FollowTools, followBatch, readResults } from './follow-provider.ts';
import type { ProviderPlace } from './prepare-input.ts';
import { findPlace, type PlaceTools } from './provider-place.ts';
import { lookUp, type SendTools, sendBatch } from './send-to-provider.ts';

export interface ProviderEngineTools extends SendTools, FollowTools, PlaceTools {}

export function providerEngine(tools: ProviderEngineTools): BatchEngine {
  return {
    async run(run, signal) {
      try {
        return await advance(run, placeOf(run, tools), { signal, tools });
      } catch (error) {
        if (signal.aborted && !(error instanceof JobLost)) return 'stopped';
        throw error;
      }
    },

    async readAgain(run, signal) {
      const { providerBatchId: id } = run.batch;
      if (id === null) return;
      const place = placeOf(run, tools);
      const ended = await place.batches.status(id, signal);
      // What is lost or failed stays in doubt.
      if (ended === null || ended.state === 'running' || ended.state === 'failed') return;
      await readResults(run, { place, ended }, { signal, tools });
    },

    async forget(batch, signal) {
      const { providerBatchId: id, providerFileId: fileId } = batch;
      if (id !== null) await findPlace(batch, tools)?.batches.remove({ id, fileId }, signal);
    },
  };
}

async function advance(
  run: EngineRun,
  place: ProviderPlace,
  at: { signal: AbortSignal; tools: ProviderEngineTools },
): Promise<EngineEnd> {
  const { batch } = run;
  const { signal, tools } = at;
  if (batch.providerBatchId !== null) {
    const told = await place.batches.status(batch.providerBatchId, signal);
    return await followBatch(run, { place, told }, at);
  }
  const found = await lookUp(run, place, at);
  if (found !== 'absent')
    return 'again' in found ? found : await followBatch(run, { place, told: found }, at);
  // Nothing runs anywhere: what can be stopped is stopped already.
  if (batch.status === 'cancelling')
    return batch.completed + batch.failed < batch.total ? 'cancelled' : 'all';
  if (tools.clock.now() >= batch.expiresAt) return 'expired';
  const sent: ProviderBatch | { readonly end: EngineEnd } = await sendBatch(run, place, at);
  if ('end' in sent) return sent.end;
  const begun = (await findBatch(tools.db, batch.id)) ?? batch;
  return await followBatch({ ...run, batch: begun }, { place, told: sent }, at);
}

function placeOf({ batch }: EngineRun, tools: ProviderEngineTools): ProviderPlace {
  const place = findPlace(batch, tools);
  if (place !== null) return place;
  throw new Error(
    `no route of the model ${batch.model} leads to ${batch.provider ?? 'a provider with batches'} any more; ` +
      'the batch goes on when the catalogue has one again',
  );
}
