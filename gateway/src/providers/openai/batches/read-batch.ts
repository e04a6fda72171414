/** Reads OpenAI's batches and their result lines. Pure. */

import { isObject, type Json, listOf, objectOf, parseObject, textOf } from '../../../json/read-json.ts';
import { Problem } from '../../../kernel/problem.ts';
import type { Instant } from '../../../kernel/time.ts';
import type { BatchCounts, ProviderBatch, ProviderBatchError, ProviderResult } from '../../batch-provider.ts';
import { fieldBytes } from '../../field-bytes.ts';
import type { ProviderMask } from '../../provider-mask.ts';
import { mapOpenaiError } from '../map-error.ts';

/** The metadata key that holds our batch id. */
export const BATCH_METADATA = 'tollgate_batch';

const states: Readonly<Record<string, ProviderBatch['state']>> = {
  validating: 'running',
  in_progress: 'running',
  finalizing: 'running',
  cancelling: 'running',
  completed: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
  expired: 'expired',
};

/** A batch with the fields that a look-up compares. */
export interface ListedOpenaiBatch {
  readonly batch: ProviderBatch;
  readonly ourId: string;
  readonly createdAt: Instant;
}

/** Null when it is not a batch or its state is unknown. */
export function readOpenaiBatch(json: unknown, mask: ProviderMask): ListedOpenaiBatch | null {
  if (!isObject(json)) return null;
  const state = states[textOf(json.status)];
  if (typeof json.id !== 'string' || state === undefined) return null;
  const files = [textOf(json.output_file_id), textOf(json.error_file_id)].filter((id) => id !== '');
  return {
    batch: {
      id: json.id,
      state,
      stopping: json.status === 'cancelling',
      counts: readCounts(json.request_counts),
      errors: listOf(objectOf(mask.json(json.errors)).data).map(readError),
      resultFiles: files,
    },
    ourId: textOf(objectOf(json.metadata)[BATCH_METADATA]),
    createdAt: Number(json.created_at) * 1000,
  };
}

function readCounts(json: unknown): BatchCounts | null {
  const { total, completed, failed } = objectOf(json);
  const isComplete = [total, completed, failed].every((count) => Number.isInteger(count));
  return isComplete
    ? { total: total as number, ok: completed as number, failed: failed as number, unrun: null }
    : null;
}

/** The input was checked before it was sent, so most of these errors are account limits. */
function readError(error: Json): ProviderBatchError {
  const limited = /limit/.test(textOf(error.code));
  const message = textOf(error.message);
  const problem = new Problem(limited ? 'rate_limit_exceeded' : 'upstream_error', {
    detail: message === '' ? 'The provider rejected the batch.' : message,
    ...(typeof error.param === 'string' && { param: error.param.slice(0, 200) }),
  });
  return { problem, line: Number.isInteger(error.line) ? (error.line as number) : null };
}

/** Reads a line of the output or error file; null when it is not one. */
export function readOpenaiResultLine(line: Buffer, mask: ProviderMask): ProviderResult | null {
  const json = parseObject(line.toString('utf8'));
  const customId = textOf(json?.custom_id);
  if (json === null || customId === '') return null;
  if (isObject(json.response)) {
    const body = bodyOf(line);
    const status = Number(json.response.status_code);
    if (body === null || !(status >= 200 && status <= 599)) return null;
    if (status < 300) return { customId, end: { body } };
    return { customId, end: { problem: mapOpenaiError(status, body, mask) } };
  }
  if (!isObject(json.error)) return null;
  return { customId, end: readLineError(objectOf(mask.json(json.error))) };
}

function readLineError(error: Json): ProviderResult['end'] {
  const code = textOf(error.code);
  if (code === 'batch_expired' || code === 'batch_cancelled') return 'unrun';
  const detail = textOf(error.message);
  return {
    problem: new Problem(code === 'request_timeout' ? 'upstream_timeout' : 'upstream_error', {
      ...(detail !== '' && { detail }),
    }),
  };
}

/** The bytes of `response.body`, unchanged. */
function bodyOf(line: Buffer): Buffer | null {
  const response = fieldBytes(line, 'response');
  return response === null ? null : fieldBytes(response, 'body');
}
