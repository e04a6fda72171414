/** Batch files for tests: a catalogue with batches, lines, forms, and counts of what is left behind. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from '../../src/database/sql.ts';
import type { TestGateway } from './gateway.ts';

export const filesConfig = `
providers:
  simulator: { dialect: openai, base_url: SIMULATOR, api_key: simulator-key, simulated: true }
models:
  sim-chat: { batch: true, routes: [{ provider: simulator, model: sim-chat }] }
  sim-no-batch: { routes: [{ provider: simulator, model: sim-no-batch }] }
  sim-hidden: { batch: true, spaces: [elsewhere], routes: [{ provider: simulator, model: sim-chat }] }
  sim-embed: { batch: true, endpoints: [embeddings], routes: [{ provider: simulator, model: sim-embed }] }
  sim-research-1:
    batch: true
    batch_requires: web_search
    endpoints: [responses]
    routes: [{ provider: simulator, model: sim-research-1 }]
prices:
  version: test-1
  models:
    sim-chat: { input: 2.5, output: 10, batch_input: 1.25, batch_output: 5 }
    sim-embed: { input: 0.1, batch_input: 0.05 }
`;

export function chatLine(id: string, more: object = {}): string {
  const messages = [{ role: 'user', content: `Reply with exactly: ${id}` }];
  const body = { model: 'sim-chat', service_tier: 'default', messages, ...more };
  return `${JSON.stringify({ custom_id: id, method: 'POST', url: '/v1/chat/completions', body })}\n`;
}

export function fileForm(
  text: string | Uint8Array<ArrayBuffer>,
  more: { filename?: string; purpose?: string } = {},
): FormData {
  const form = new FormData();
  form.set('purpose', more.purpose ?? 'batch');
  form.set('file', new Blob([text]), more.filename ?? 'batch.jsonl');
  return form;
}

export interface UploadOptions {
  readonly key?: string;
  readonly idempotencyKey?: string;
}

export async function upload(
  gateway: TestGateway,
  file: string | FormData,
  options: UploadOptions = {},
): Promise<Response> {
  return await fetch(`${gateway.url}/v1/files`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${options.key ?? gateway.key}`,
      ...(options.idempotencyKey !== undefined && { 'idempotency-key': options.idempotencyKey }),
    },
    body: typeof file === 'string' ? fileForm(file) : file,
  });
}

export interface FileAnswer {
  readonly id: string;
  readonly object: string;
  readonly filename: string;
  readonly purpose: string;
  readonly bytes: number;
  readonly created_at: number;
}

export async function uploaded(
  gateway: TestGateway,
  file: string | FormData,
  options: UploadOptions = {},
): Promise<FileAnswer> {
  const reply = await upload(gateway, file, options);
  if (reply.status !== 200) throw new Error(`${reply.status}: ${await reply.text()}`);
  return (await reply.json()) as FileAnswer;
}

export function getFile(
  gateway: TestGateway,
  path: string,
  key = gateway.key,
  method = 'GET',
): Promise<Response> {
  return fetch(`${gateway.url}/v1/files/${path}`, { method, headers: { authorization: `Bearer ${key}` } });
}

export interface Kept {
  readonly rows: number;
  readonly blobs: number;
  readonly partial: number;
  readonly pending: number;
}

/** Everything that uploads could leave behind: rows, blobs, partial files, pending blobs. */
export async function kept(gateway: TestGateway): Promise<Kept> {
  const count = async (statement: Parameters<TestGateway['query']>[0]): Promise<number> =>
    Number((await gateway.query<{ count: number }>(statement))[0]?.count);
  return {
    ...keptOnDisk(gateway.folder),
    rows: await count(sql`select count(*) from files`),
    pending: await count(sql`select count(*) from pending_blobs`),
  };
}

export function keptOnDisk(folder: string): { blobs: number; partial: number } {
  const list = (path: string): number =>
    existsSync(path) ? readdirSync(path).filter((file) => file.startsWith('file_')).length : 0;
  return { blobs: list(join(folder, 'blobs')), partial: list(join(folder, 'blobs/partial')) };
}
