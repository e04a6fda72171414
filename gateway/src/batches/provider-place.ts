/** Where the lines of a batch run: the engine, and of a provider's own batches the route to it. */
import type { Catalog } from '../catalog/catalog.ts';
import type { BatchUrl } from '../contract/files.ts';
import type { ProviderRegistry } from '../providers/registry.ts';
import type { BatchEngine } from './batch-engine.ts';
import type { Batch } from './batches.store.ts';
import { lineKinds } from './line-kinds.ts';
import type { ProviderPlace } from './prepare-input.ts';

export interface PlaceTools {
  readonly catalog: () => Catalog;
  readonly providers: Pick<ProviderRegistry, 'get'>;
}

/** What was begun at a provider ends there, whatever the catalogue says meanwhile. */
export function chooseEngine(
  batch: Batch,
  engines: { own: BatchEngine; provider: BatchEngine },
  tools: PlaceTools,
): BatchEngine {
  if (batch.provider !== null) return engines.provider;
  const wanted = tools.catalog().models.get(batch.model)?.batchEngine === 'provider';
  return wanted && findPlace(batch, tools) !== null ? engines.provider : engines.own;
}

/** Null when no route of the model leads to a provider that takes such batches. */
export function findPlace(batch: Batch, { catalog, providers }: PlaceTools): ProviderPlace | null {
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
