/** Chooses the engine of a batch and, for a batch that its provider runs, the route to that provider. */
import type { BatchUrl } from '../contract/paid-endpoints.ts';
import type { RouteTools } from '../provider-jobs/provider-job.ts';
import type { BatchDialect, BatchProvider } from '../providers/batch-provider.ts';
import type { BatchEngine } from './batch-engine.ts';
import type { Batch } from './batches.store.ts';
import { type LineKind, type LineTarget, lineKinds } from './line-kinds.ts';

/** A route to a provider that runs batches itself. */
export interface BatchRoute extends LineTarget {
  readonly kind: LineKind;
  readonly dialect: BatchDialect;
  readonly batches: BatchProvider;
}

/** A batch that was sent to a provider stays there, even if the catalogue changes. */
export function chooseEngine(
  batch: Batch,
  engines: { own: BatchEngine; provider: BatchEngine },
  tools: RouteTools,
): BatchEngine {
  if (batch.provider !== null) return engines.provider;
  const wanted = tools.catalog().models.get(batch.model)?.batchEngine === 'provider';
  return wanted && findBatchRoute(batch, tools) !== null ? engines.provider : engines.own;
}

/** Null when no route of the model leads to a provider that accepts such batches. */
export function findBatchRoute(batch: Batch, { catalog, providers }: RouteTools): BatchRoute | null {
  const model = catalog().models.get(batch.model);
  if (model === undefined) return null;
  const kind = lineKinds[batch.endpoint as BatchUrl];
  for (const route of model.routes.toSorted((a, b) => a.priority - b.priority)) {
    if (batch.provider !== null && route.provider !== batch.provider) continue;
    const provider = providers.get(route.provider);
    const dialect = kind.dialect(provider);
    const { batches } = provider;
    if (dialect !== null && batches?.takes(dialect))
      return { model, route, provider, kind, dialect, batches };
  }
  return null;
}
