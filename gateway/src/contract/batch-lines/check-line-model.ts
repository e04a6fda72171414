/** Whether lines of a batch can use a model. Pure. */
import type { BatchKind } from '../paid-endpoints.ts';
import { urlOfEndpoint } from './check-line-value.ts';
import { quotedValue, type RowFault, rowFault } from './row-fault.ts';

interface KnownModel {
  readonly supportsBatch: boolean;
  offers(endpoint: BatchKind): boolean;
}

/** `known` is null if there is no such model; `missing` says so in more words. */
export function checkLineModel(
  code: string,
  endpoint: BatchKind,
  { known, missing }: { known: KnownModel | null; missing?: () => string },
): RowFault | null {
  if (known === null) {
    const fault = rowFault(['model_not_found', FIELD], 'unknown_model', { model: quotedValue(code) });
    return missing === undefined ? fault : { ...fault, advice: missing() };
  }
  // Batch input rule 6.
  if (endpoint === 'chat' && !known.offers('chat') && known.offers('responses')) {
    return rowFault(['responses_only_model', FIELD], 'responses_only', { model: code });
  }
  if (!known.offers(endpoint)) {
    const values = { model: code, url: urlOfEndpoint(endpoint) };
    return rowFault(['model_not_found', FIELD], 'url_not_offered', values);
  }
  if (known.supportsBatch) return null;
  return rowFault(['model_not_batchable', FIELD], 'no_batches', { model: code });
}

const FIELD = 'body.model';
