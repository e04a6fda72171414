/** Follows a batch, as a bar on a terminal and as lines elsewhere. Leaving it leaves the batch running. */
import type { BatchObject } from '../contract/batches.ts';
import type { GatewayClient } from './gateway-client.ts';
import { printFields, printJson } from './print.ts';

const LOOK_MS = { first: 500, most: 5_000 };
const BAR_CHARACTERS = 30;

export async function watchBatch(
  client: GatewayClient,
  id: string,
  flags: { json?: boolean },
): Promise<void> {
  const leave = (): void => {
    process.stderr.write(`\nThe batch runs on. Watch it again with: tollgate batch watch ${id}\n`);
    process.exit(0);
  };
  process.once('SIGINT', leave);
  try {
    const batch = await follow(client, id);
    if (flags.json) printJson(batch);
    else printEnd(batch);
    if (batch.status !== 'completed' || batch.settlement_status !== 'settled') process.exitCode = 1;
  } finally {
    process.off('SIGINT', leave);
  }
}

async function follow(client: GatewayClient, id: string): Promise<BatchObject> {
  let delayMs = LOOK_MS.first;
  let last = '';
  for (;;) {
    const batch = await client.json<BatchObject>(`/v1/batches/${encodeURIComponent(id)}`);
    const line = progressLine(batch);
    if (line !== last) show(line);
    delayMs = line === last ? Math.min(delayMs * 1.5, LOOK_MS.most) : LOOK_MS.first;
    last = line;
    if (isOver(batch)) {
      if (process.stderr.isTTY) process.stderr.write('\n');
      return batch;
    }
    await new Promise((resolve) => setTimeout(resolve, delayMs));
  }
}

function isOver({ settlement_status }: BatchObject): boolean {
  return settlement_status === 'settled' || settlement_status === 'quarantined';
}

/** On standard error, so that what is printed at the end can be piped. */
function show(line: string): void {
  process.stderr.write(process.stderr.isTTY ? `\r\x1b[K${line}` : `${line}\n`);
}

export function progressLine({ status, settlement_status, request_counts: counts }: BatchObject): string {
  const done = counts.completed + counts.failed;
  const filled = counts.total === 0 ? 0 : Math.floor((done / counts.total) * BAR_CHARACTERS);
  const bar = `${'█'.repeat(filled)}${'░'.repeat(BAR_CHARACTERS - filled)}`;
  const failed = counts.failed === 0 ? '' : `, ${counts.failed} failed`;
  const settling = settlement_status === 'pending' ? '' : `, settlement ${settlement_status}`;
  return `${bar} ${done}/${counts.total}${failed}  ${status}${settling}`;
}

function printEnd(batch: BatchObject): void {
  const { id, status, settled_units, settlement_reason, request_counts: counts, errors } = batch;
  printFields(
    {
      id,
      status,
      completed: counts.completed,
      failed: counts.failed,
      units: settled_units,
      ...(settlement_reason !== null && { 'held back': settlement_reason }),
      ...(errors !== null && { errors: errors.data.map(({ message }) => message).join(' ') }),
      ...(batch.output_file_id !== null && { results: `tollgate batch download ${id}` }),
      ...(batch.error_file_id !== null && { 'try again': `tollgate batch retry-failed ${id}` }),
    },
    { json: false },
  );
}
