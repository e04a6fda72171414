/** `batches submit`, `watch`, `download`, `cancel` and `retry-failed`: a batch as its owner runs it. */
import { accessSync, constants, openAsBlob, statSync } from 'node:fs';
import { basename } from 'node:path';
import { SettingsError } from '../../app/settings.ts';
import type { BatchObject } from '../../contract/batches.ts';
import type { FileObject } from '../../contract/files.ts';
import { argument, command, flag, option } from '../command.ts';
import { printFields, printJson } from '../print.ts';
import { downloadResults, firstLine, writeRetryFile } from './batch-results.ts';
import { GatewayClient, KEY_NOTE } from './gateway-client.ts';
import { progressBar, watch } from './watch.ts';

const id = argument('<id>', 'the id of the batch');

const submit = command({
  name: 'submit',
  help: 'upload a file and create a batch from it',
  examples: ['tollgate batches submit requests.jsonl --watch'],
  arguments: { file: argument('<file>', 'a JSONL file with one request per line') },
  options: {
    watch: flag('follow the batch until it is settled'),
    idempotencyKey: option('<key>', 'within 24 hours, a request with the same key creates no second batch'),
  },
  note: KEY_NOTE,
  async run({ file, watch, idempotencyKey }, flags) {
    const client = await GatewayClient.open(flags);
    const made = await create(client, file, idempotencyKey);
    if (watch) await watchBatch(client, made.id, flags);
    else if (flags.json) printJson(made);
    else printFields({ ...shown(made), watch: `tollgate batches watch ${made.id}` });
  },
});

const watchCommand = command({
  name: 'watch',
  help: 'follow a batch until it is settled',
  examples: ['tollgate batches watch batch_01j9x8w7v6t5s4r3q2p1n0m9k8'],
  arguments: { id },
  note: KEY_NOTE,
  run: async ({ id }, flags) => watchBatch(await GatewayClient.open(flags), id, flags),
});

const download = command({
  name: 'download',
  help: 'save the result file and the error file of a batch',
  examples: ['tollgate batches download batch_01j9x8w7v6t5s4r3q2p1n0m9k8 -o results'],
  arguments: { id },
  options: { output: option('<folder>', 'the folder to save them in', { short: 'o', default: '.' }) },
  note: KEY_NOTE,
  async run({ id, output }, flags) {
    printFields(await downloadResults(await GatewayClient.open(flags), id, output), flags);
  },
});

const cancel = command({
  name: 'cancel',
  help: 'cancel a batch; lines that are already done are kept and charged',
  examples: ['tollgate batches cancel batch_01j9x8w7v6t5s4r3q2p1n0m9k8'],
  arguments: { id },
  note: KEY_NOTE,
  async run({ id }, flags) {
    const client = await GatewayClient.open(flags);
    const path = `/v1/batches/${encodeURIComponent(id)}/cancel`;
    const cancelled = await client.json<BatchObject>(path, { method: 'POST' });
    printFields(flags.json ? { ...cancelled } : shown(cancelled), flags);
  },
});

const retryFailed = command({
  name: 'retry-failed',
  help: 'write the lines that failed or did not run to a new file, to fix and submit again',
  examples: ['tollgate batches retry-failed batch_01j9x8w7v6t5s4r3q2p1n0m9k8'],
  arguments: { id },
  options: { output: option('<file>', 'the file to write (default: ID_retry.jsonl)', { short: 'o' }) },
  note: KEY_NOTE,
  async run({ id, output = `${id}_retry.jsonl` }, flags) {
    printFields(await writeRetryFile(await GatewayClient.open(flags), id, output), flags);
  },
});

export const batchRunCommands = [submit, watchCommand, download, cancel, retryFailed];

async function create(client: GatewayClient, path: string, key: string | undefined): Promise<BatchObject> {
  const form = new FormData();
  form.set('purpose', 'batch');
  form.set('file', await openFile(path), basename(path));
  const file = await client.json<FileObject>('/v1/files', { method: 'POST', body: form });
  return await client.json<BatchObject>('/v1/batches', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key !== undefined && { 'idempotency-key': key }) },
    body: JSON.stringify({
      input_file_id: file.id,
      endpoint: await endpointOf(path),
      completion_window: '24h',
    }),
  });
}

/** Checked here because openAsBlob reports a missing file without its name, and a folder only when it is read. */
async function openFile(path: string): Promise<Blob> {
  accessSync(path, constants.R_OK);
  if (!statSync(path).isFile()) throw new SettingsError(`${path} is not a file. Name a JSONL file.`);
  return await openAsBlob(path);
}

/** Of the first line: the upload has checked that all lines have the same. */
async function endpointOf(path: string): Promise<string> {
  return (JSON.parse(await firstLine(path)) as { url: string }).url;
}

function shown({ id, status, request_counts: counts }: BatchObject) {
  return { id, status, lines: counts.total };
}

/** Follows a batch until it is settled, and prints how it ended. */
async function watchBatch(client: GatewayClient, id: string, flags: { json?: boolean }): Promise<void> {
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
