/** Batches as their owner runs them: hand in, watch, fetch the results, try again what failed. */
import { accessSync, constants, openAsBlob, statSync } from 'node:fs';
import { basename } from 'node:path';
import type { Command } from 'commander';
import { SettingsError } from '../app/settings.ts';
import type { BatchObject } from '../contract/batches.ts';
import type { FileObject } from '../contract/files.ts';
import { flagsOf } from './administer.ts';
import { downloadResults, firstLine, writeRetryFile } from './batch-results.ts';
import { watchBatch } from './batch-watch.ts';
import { type ClientFlags, GatewayClient, URL_OPTION } from './gateway-client.ts';
import { printFields, printJson } from './print.ts';

interface RunFlags extends ClientFlags {
  readonly watch?: boolean;
  readonly idempotencyKey?: string;
  readonly output?: string;
}

export function addBatchRunCommands(batch: Command): void {
  batch
    .command('submit <file>')
    .description('upload a file and hand it in; the key is TOLLGATE_KEY')
    .option(...URL_OPTION)
    .option('--watch', 'stay until it is settled')
    .option('--idempotency-key <key>', 'the same key within 24 hours is the same batch')
    .action(async (file: string, _: unknown, command: Command) => {
      const flags = flagsOf<RunFlags>(command) as RunFlags;
      const client = await GatewayClient.open(flags);
      const made = await submit(client, file, flags);
      if (flags.watch) await watchBatch(client, made.id, flags);
      else if (flags.json) printJson(made);
      else printFields({ ...shown(made), watch: `tollgate batch watch ${made.id}` }, { json: false });
    });
  batch
    .command('watch <id>')
    .description('follow a batch until it is settled')
    .option(...URL_OPTION)
    .action(async (id: string, _: unknown, command: Command) => {
      const flags = flagsOf<RunFlags>(command) as RunFlags;
      await watchBatch(await GatewayClient.open(flags), id, flags);
    });
  batch
    .command('download <id>')
    .description('write the result and error files of a batch')
    .option(...URL_OPTION)
    .option('-o, --output <folder>', 'where to', '.')
    .action(async (id: string, _: unknown, command: Command) => {
      const flags = flagsOf<RunFlags>(command) as RunFlags;
      const written = await downloadResults(await GatewayClient.open(flags), id, flags.output ?? '.');
      printFields(written, { json: flags.json ?? false });
    });
  batch
    .command('cancel <id>')
    .description('stop a batch; what is done is kept and charged')
    .option(...URL_OPTION)
    .action(async (id: string, _: unknown, command: Command) => {
      const flags = flagsOf<RunFlags>(command) as RunFlags;
      const client = await GatewayClient.open(flags);
      const cancelled = await client.json<BatchObject>(`/v1/batches/${encodeURIComponent(id)}/cancel`, {
        method: 'POST',
      });
      printFields(flags.json ? { ...cancelled } : shown(cancelled), { json: flags.json ?? false });
    });
  batch
    .command('retry-failed <id>')
    .description('make a file of the lines that failed or were not run, to mend and submit again')
    .option(...URL_OPTION)
    .option('-o, --output <file>', 'where to (default: ID_retry.jsonl)')
    .action(async (id: string, _: unknown, command: Command) => {
      const flags = flagsOf<RunFlags>(command) as RunFlags;
      const made = await writeRetryFile(
        await GatewayClient.open(flags),
        id,
        flags.output ?? `${id}_retry.jsonl`,
      );
      printFields(made, { json: flags.json ?? false });
    });
}

async function submit(client: GatewayClient, path: string, flags: RunFlags): Promise<BatchObject> {
  const form = new FormData();
  form.set('purpose', 'batch');
  form.set('file', await openFile(path), basename(path));
  const file = await client.json<FileObject>('/v1/files', { method: 'POST', body: form });
  const key = flags.idempotencyKey;
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

/** Node says of a missing file only that it could not be opened, and of a folder that when it is read. */
async function openFile(path: string): Promise<Blob> {
  accessSync(path, constants.R_OK);
  if (!statSync(path).isFile()) throw new SettingsError(`${path} is not a file. Name a JSONL file.`);
  return await openAsBlob(path);
}

/** Of the first line; the upload has checked that all are the same. */
async function endpointOf(path: string): Promise<string> {
  return (JSON.parse(await firstLine(path)) as { url: string }).url;
}

function shown({ id, status, request_counts: counts }: BatchObject) {
  return { id, status, lines: counts.total };
}
