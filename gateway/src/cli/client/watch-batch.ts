/** Follows a batch until it is settled, and prints how it ended. */
import type { BatchObject } from '../../contract/batches.ts';
import { printFields, printJson } from '../print.ts';
import type { GatewayClient } from './gateway-client.ts';
import { progressBar, watch } from './watch.ts';

export async function watchBatch(
  client: GatewayClient,
  id: string,
  flags: { json?: boolean },
): Promise<void> {
  const batch = await watch({
    poll: () => client.json<BatchObject>(`/v1/batches/${encodeURIComponent(id)}`),
    line: progressLine,
    isOver: ({ settlement_status: status }) => status === 'settled' || status === 'quarantined',
    onLeave: `The batch keeps running. Watch it again with: tollgate batches watch ${id}`,
  });
  if (flags.json) printJson(batch);
  else printEnd(batch);
  if (batch.status !== 'completed' || batch.settlement_status !== 'settled') process.exitCode = 1;
}

function progressLine({ status, settlement_status, request_counts: counts }: BatchObject): string {
  const done = counts.completed + counts.failed;
  const bar = progressBar(counts.total === 0 ? 0 : done / counts.total);
  const failed = counts.failed === 0 ? '' : `, ${counts.failed} failed`;
  const settling = settlement_status === 'pending' ? '' : `, settlement ${settlement_status}`;
  return `${bar} ${done}/${counts.total}${failed}  ${status}${settling}`;
}

function printEnd(batch: BatchObject): void {
  const { id, status, settled_units, settlement_reason, request_counts: counts, errors } = batch;
  printFields({
    id,
    status,
    completed: counts.completed,
    failed: counts.failed,
    units: settled_units,
    ...(settlement_reason !== null && { quarantined: settlement_reason }),
    ...(errors !== null && { errors: errors.data.map(({ message }) => message).join(' ') }),
    ...(batch.output_file_id !== null && { results: `tollgate batches download ${id}` }),
    ...(batch.error_file_id !== null && { retry: `tollgate batches retry-failed ${id}` }),
  });
}
