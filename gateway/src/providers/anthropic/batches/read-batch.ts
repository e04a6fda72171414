/** Reads Anthropic's message batches and their results. Pure. */

import { isObject, objectOf, parseObject, textOf } from '../../../json/read-json.ts';
import type { Instant } from '../../../kernel/time.ts';
import type { BatchCounts, ProviderBatch, ProviderResult } from '../../batch-provider.ts';
import { fieldBytes } from '../../field-bytes.ts';
import type { ProviderMask } from '../../provider-mask.ts';
import { mapAnthropicError } from '../map-error.ts';

/** A batch with the fields that a look-up compares. It has no field for our id. */
export interface ListedAnthropicBatch {
  readonly batch: ProviderBatch;
  readonly lines: number;
  readonly createdAt: Instant;
}

/** Null when it is not a batch. */
export function readAnthropicBatch(json: unknown): ListedAnthropicBatch | null {
  if (!isObject(json) || typeof json.id !== 'string' || textOf(json.processing_status) === '') return null;
  const counts = readCounts(json.request_counts);
  if (counts === null) return null;
  const { canceled, expired, processing, ...counted } = counts;
  const total = counted.ok + counted.failed + canceled + expired + processing;
  const ended = json.processing_status === 'ended';
  return {
    batch: {
      id: json.id,
      state: ended ? endOf({ canceled, expired }) : 'running',
      stopping: json.processing_status === 'canceling',
      counts: { ...counted, total, unrun: canceled + expired },
      errors: [],
      resultFiles: [],
    },
    lines: total,
    createdAt: Date.parse(textOf(json.created_at)),
  };
}

function endOf({ canceled, expired }: { canceled: number; expired: number }): ProviderBatch['state'] {
  if (expired > 0) return 'expired';
  return canceled > 0 ? 'cancelled' : 'completed';
}

type Tally = Pick<BatchCounts, 'ok' | 'failed'> & Record<'canceled' | 'expired' | 'processing', number>;

function readCounts(json: unknown): Tally | null {
  const { succeeded, errored, canceled, expired, processing } = objectOf(json);
  const counts = [succeeded, errored, canceled, expired, processing];
  if (!counts.every((count) => Number.isInteger(count))) return null;
  return { ok: succeeded, failed: errored, canceled, expired, processing } as Tally;
}

/** Reads a line of the results; null when it is not one. */
export function readAnthropicResultLine(line: Buffer, mask: ProviderMask): ProviderResult | null {
  const json = parseObject(line.toString('utf8'));
  const customId = textOf(json?.custom_id);
  if (json === null || customId === '' || !isObject(json.result)) return null;
  switch (json.result.type) {
    case 'succeeded': {
      const body = messageOf(line);
      return body === null ? null : { customId, end: { body } };
    }
    case 'errored': {
      // The line has no status; it follows from the error type.
      const error = Buffer.from(JSON.stringify(json.result.error ?? {}));
      return { customId, end: { problem: mapAnthropicError(500, error, mask) } };
    }
    case 'canceled':
    case 'expired':
      return { customId, end: 'unrun' };
    default:
      return null;
  }
}

/** The bytes of `result.message`, unchanged. */
function messageOf(line: Buffer): Buffer | null {
  const result = fieldBytes(line, 'result');
  return result === null ? null : fieldBytes(result, 'message');
}
