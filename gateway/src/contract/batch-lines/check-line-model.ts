/** Whether lines of a batch can use a model. Pure. */
import type { BatchEndpoint } from './batch-limits.ts';
import { urlOfEndpoint } from './check-line-value.ts';
import type { RowFault } from './row-fault.ts';

interface KnownModel {
  readonly supportsBatch: boolean;
  offers(endpoint: BatchEndpoint): boolean;
}

/** `known` is null if there is no such model; `missing` says so in a sentence. */
export function checkLineModel(
  code: string,
  endpoint: BatchEndpoint,
  { known, missing }: { known: KnownModel | null; missing: () => string },
): RowFault | null {
  if (known === null) return modelFault('model_not_found', missing());
  // Batch input rule 6.
  if (endpoint === 'chat' && !known.offers('chat') && known.offers('responses')) {
    return modelFault(
      'responses_only_model',
      `${code} takes /v1/responses only; write the line for that url.`,
    );
  }
  if (!known.offers(endpoint)) {
    return modelFault('model_not_found', `${code} does not support ${urlOfEndpoint(endpoint)}.`);
  }
  if (known.supportsBatch) return null;
  return modelFault(
    'model_not_batchable',
    `${code} does not support batches; GET /v1/models shows which models do (supports_batch).`,
  );
}

function modelFault(reason: RowFault['reason'], advice: string): RowFault {
  return { reason, field: 'body.model', advice };
}
