/** Decides whether lines of a batch can use a model. Pure; caches the last result, since all lines use one model. */
import type { Catalog, ModelUser } from '../catalog/catalog.ts';
import type { Model } from '../catalog/model.ts';
import { checkLineModel } from '../contract/batch-lines/check-line-model.ts';
import type { RowFault } from '../contract/batch-lines/row-fault.ts';
import type { BatchKind } from '../contract/paid-endpoints.ts';
import { Problem } from '../kernel/problem.ts';
import type { FindBatchModel } from './check-batch-line.ts';

export function batchModelsOf(catalog: Catalog, user: ModelUser | null): FindBatchModel {
  let last: { code: string; endpoint: BatchKind; found: Model | RowFault } | null = null;
  return (code, endpoint) => {
    if (last?.code !== code || last.endpoint !== endpoint) {
      last = { code, endpoint, found: findBatchModel(catalog, { code, endpoint, user }) };
    }
    return last.found;
  };
}

function findBatchModel(
  catalog: Catalog,
  wanted: { code: string; endpoint: BatchKind; user: ModelUser | null },
): Model | RowFault {
  const { code, endpoint, user } = wanted;
  const model = catalog.seen(code, user);
  const known = model && {
    supportsBatch: model.supportsBatch,
    offers: (name: BatchKind) => model.endpoints.has(name),
  };
  return (
    checkLineModel(code, endpoint, { known, missing: () => missing(catalog, wanted) }) ?? (model as Model)
  );
}

/** The same text as for a single call. */
function missing(
  catalog: Catalog,
  wanted: { code: string; endpoint: BatchKind; user: ModelUser | null },
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
