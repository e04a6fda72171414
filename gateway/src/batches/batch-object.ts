/** A batch as the API shows it. Pure. */
import { type BatchObject, COMPLETION_WINDOW } from '../contract/batches.ts';
import { type Instant, unixSecondsOf } from '../kernel/time.ts';
import { printUnits } from '../kernel/units.ts';
import type { Batch } from './batches.store.ts';

export function batchObject(batch: Batch): BatchObject {
  return {
    id: batch.id,
    object: 'batch',
    endpoint: batch.endpoint,
    model: batch.model,
    errors:
      batch.errors === null ? null : { object: 'list', data: batch.errors.map((error) => ({ ...error })) },
    input_file_id: batch.inputFileId,
    completion_window: COMPLETION_WINDOW,
    status: batch.status,
    output_file_id: batch.outputFileId,
    error_file_id: batch.errorFileId,
    created_at: unixSecondsOf(batch.createdAt),
    in_progress_at: seconds(batch.inProgressAt),
    expires_at: unixSecondsOf(batch.expiresAt),
    finalizing_at: seconds(batch.finalizingAt),
    completed_at: seconds(batch.completedAt),
    failed_at: seconds(batch.failedAt),
    expired_at: seconds(batch.expiredAt),
    cancelling_at: seconds(batch.cancellingAt),
    cancelled_at: seconds(batch.cancelledAt),
    request_counts: { total: batch.total, completed: batch.completed, failed: batch.failed },
    metadata: batch.metadata === null ? null : { ...batch.metadata },
    settlement_status: batch.settlementStatus,
    settled_units: batch.settledUnits === null ? null : printUnits(batch.settledUnits),
    settlement_reason: batch.settlementReason,
  };
}

function seconds(instant: Instant | null): number | null {
  return instant === null ? null : unixSecondsOf(instant);
}
