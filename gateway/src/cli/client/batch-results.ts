/** Saves the files of a batch: its results, or a new input file with the lines that failed. */
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { SettingsError } from '../../app/settings.ts';
import type { BatchObject } from '../../contract/batches.ts';
import type { GatewayClient } from './gateway-client.ts';

/** Returns the paths of the saved files. */
export async function downloadResults(
  client: GatewayClient,
  id: string,
  folder: string,
): Promise<Record<string, string | null>> {
  const batch = await settledBatch(client, id);
  await mkdir(folder, { recursive: true });
  const save = async (fileId: string | null, name: string): Promise<string | null> => {
    if (fileId === null) return null;
    const path = join(folder, `${id}_${name}.jsonl`);
    await pipeline(await contentOf(client, fileId), createWriteStream(path));
    return path;
  };
  return {
    output: await save(batch.output_file_id, 'output'),
    errors: await save(batch.error_file_id, 'errors'),
  };
}

/** Writes the input lines that are in the error file, unchanged. */
export async function writeRetryFile(
  client: GatewayClient,
  id: string,
  path: string,
): Promise<Record<string, string | number>> {
  const batch = await settledBatch(client, id);
  if (batch.error_file_id === null)
    throw new SettingsError(`No line of ${id} failed: there is nothing to retry.`);
  const failed = new Set<string>();
  for await (const line of linesOf(await contentOf(client, batch.error_file_id)))
    failed.add(customIdOf(line));
  let written = 0;
  const input = await contentOf(client, batch.input_file_id);
  await pipeline(async function* () {
    for await (const line of linesOf(input)) {
      if (!failed.has(customIdOf(line))) continue;
      written++;
      yield `${line}\n`;
    }
  }, createWriteStream(path));
  return { file: path, lines: written, next: `fix the lines, then: tollgate batches submit ${path}` };
}

export async function firstLine(path: string): Promise<string> {
  for await (const line of linesOf(createReadStream(path))) return line;
  throw new SettingsError(`${path} has no lines.`);
}

async function settledBatch(client: GatewayClient, id: string): Promise<BatchObject> {
  const batch = await client.json<BatchObject>(`/v1/batches/${encodeURIComponent(id)}`);
  if (batch.settlement_status === 'settled') return batch;
  throw new SettingsError(
    `The batch is ${batch.status} and its settlement ${batch.settlement_status}: it has no files yet. ` +
      `Wait for it with "tollgate batches watch ${id}".`,
  );
}

async function contentOf(client: GatewayClient, fileId: string): Promise<Readable> {
  const { body } = await client.ask(`/v1/files/${encodeURIComponent(fileId)}/content`);
  return body === null
    ? Readable.from([])
    : Readable.fromWeb(body as import('node:stream/web').ReadableStream);
}

async function* linesOf(input: Readable): AsyncGenerator<string> {
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
  for await (const line of lines) {
    const text = line.replace(/^\uFEFF/, '').trim();
    if (text !== '') yield text;
  }
}

function customIdOf(line: string): string {
  return (JSON.parse(line) as { custom_id: string }).custom_id;
}
