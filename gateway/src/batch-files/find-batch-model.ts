/** Decides whether lines of a batch can use a model. Pure; caches the last result, since all lines use one model. */
import type { Catalog, ModelUser } from '../catalog/catalog.ts';
import { type BatchEndpoint, endpointPaths, type Model } from '../catalog/model.ts';
import { Problem } from '../kernel/problem.ts';
import type { FindBatchModel } from './check-batch-line.ts';
import type { RowFault } from './row-fault.ts';

export function batchModelsOf(catalog: Catalog, user: ModelUser | null): FindBatchModel {
  let last: { code: string; endpoint: BatchEndpoint; found: Model | RowFault } | null = null;
  return (code, endpoint) => {
    if (last?.code !== code || last.endpoint !== endpoint) {
      last = { code, endpoint, found: findBatchModel(catalog, { code, endpoint, user }) };
    }
    return last.found;
  };
}

function findBatchModel(
  catalog: Catalog,
  wanted: { code: string; endpoint: BatchEndpoint; user: ModelUser | null },
): Model | RowFault {
  const { code, endpoint, user } = wanted;
  const model = catalog.seen(code, user);
  if (model === null) return modelFault('model_not_found', missing(catalog, wanted));
  // Batch input rule 6.
  if (endpoint === 'chat' && !model.endpoints.has('chat') && model.endpoints.has('responses')) {
    return modelFault(
      'responses_only_model',
      `${code} takes /v1/responses only; write the line for that url.`,
    );
  }
  if (!model.endpoints.has(endpoint)) {
    return modelFault('model_not_found', `${code} does not support ${endpointPaths[endpoint][0]}.`);
  }
  if (!model.supportsBatch) {
    return modelFault(
      'model_not_batchable',
      `${code} does not support batches; GET /v1/models shows which models do (supports_batch).`,
    );
  }
  return model;
}

/** The same text as for a single call. */
function missing(
  catalog: Catalog,
  wanted: { code: string; endpoint: BatchEndpoint; user: ModelUser | null },
): string {
  try {
    catalog.find(wanted.code, { endpoint: wanted.endpoint, user: wanted.user ?? EVERYBODY });
  } catch (error) {
    if (error instanceof Problem) return error.detail;
    throw error;
  }
  return '';
}

const EVERYBODY: ModelUser = { spaceName: '', models: null };

function modelFault(reason: RowFault['reason'], advice: string): RowFault {
  return { reason, field: 'body.model', advice };
}
