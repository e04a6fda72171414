/** References and media for tests: the beginnings of every format, forms, rows, and what is left behind. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from '../../src/database/sql.ts';
import { newId } from '../../src/kernel/ids.ts';
import type { Clock } from '../../src/kernel/time.ts';
import type { TestGateway } from './gateway.ts';

const latin = (text: string): Buffer<ArrayBuffer> => Buffer.from(text, 'latin1');

/** The least that is recognised as a format, by the name it is kept under. */
export const samples: Readonly<Record<string, Buffer<ArrayBuffer>>> = {
  'image/png': latin('\x89PNG\r\n\x1a\n\0\0\0\rIHDR'),
  'image/jpeg': latin('\xff\xd8\xff\xe0\0\x10JFIF\0'),
  'image/webp': latin('RIFF\x1a\0\0\0WEBPVP8L'),
  'image/gif': latin('GIF89a\x01\0\x01\0'),
  'image/bmp': latin('BM\x3a\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0'),
  'image/tiff': latin('II*\0\x08\0\0\0'),
  'image/heic': latin('\0\0\0\x18ftypheic\0\0\0\0mif1heic'),
  'image/heif': latin('\0\0\0\x14ftypmif1\0\0\0\0miaf'),
  'video/mp4': latin('\0\0\0\x18ftypisom\0\0\x02\0isommp41'),
  'video/quicktime': latin('\0\0\0\x14ftypqt  \0\0\x02\0qt  '),
  'audio/wav': latin('RIFF\x24\0\0\0WAVEfmt '),
  'audio/mpeg': latin('ID3\x04\0\0\0\0\0\0'),
};

/** So many bytes that begin like their format. */
export function sampleOf(mimeType: string, bytes: number): Buffer<ArrayBuffer> {
  const whole = Buffer.alloc(bytes);
  samples[mimeType]?.copy(whole);
  return whole;
}

export function referenceForm(
  bytes: Uint8Array<ArrayBuffer>,
  more: { type?: string; filename?: string } = {},
): FormData {
  const form = new FormData();
  form.set('file', new Blob([bytes], { type: more.type ?? 'image/png' }), more.filename ?? 'picture');
  return form;
}

export function sendReference(
  gateway: TestGateway,
  body: FormData | string | Buffer<ArrayBuffer>,
  options: { query?: string; key?: string; headers?: Record<string, string> } = {},
): Promise<Response> {
  return fetch(`${gateway.url}/v1/references${options.query ?? ''}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${options.key ?? gateway.key}`, ...options.headers },
    body,
  });
}

export interface ReferenceAnswer {
  readonly file_id: string;
  readonly reference: string;
  readonly bytes: number;
  readonly track: string;
}

export async function referenced(
  gateway: TestGateway,
  mimeType = 'image/png',
  options: Parameters<typeof sendReference>[2] = {},
): Promise<ReferenceAnswer> {
  const form = referenceForm(samples[mimeType] ?? Buffer.alloc(0), { type: mimeType });
  const reply = await sendReference(gateway, form, options);
  if (reply.status !== 200) throw new Error(`${reply.status}: ${await reply.text()}`);
  return (await reply.json()) as ReferenceAnswer;
}

export interface KeptMedia {
  readonly references: number;
  readonly media: number;
  readonly blobs: number;
  readonly partial: number;
  readonly pending: number;
}

/** Everything that references and media could leave behind. */
export async function keptMedia(gateway: TestGateway): Promise<KeptMedia> {
  const [rows] = await gateway.query<Pick<KeptMedia, 'references' | 'media' | 'pending'>>(sql`
    select (select count(*) from reference_files) as "references", (select count(*) from media) as media,
      (select count(*) from pending_blobs) as pending`);
  const list = (folder: string): number => {
    const path = join(gateway.folder, folder);
    return existsSync(path) ? readdirSync(path).filter((file) => /^(ref|media)_/.test(file)).length : 0;
  };
  return { ...(rows as KeptMedia), blobs: list('blobs'), partial: list('blobs/partial') };
}

export interface MadeMedia {
  readonly id: string;
  readonly jobId: string;
  readonly content: Buffer;
  readonly sha256: string;
}

/** A file that a job left behind, on disk, as the worker writes it. */
export async function makeMedia(
  gateway: TestGateway,
  clock: Clock,
  more: { content?: Buffer; owner?: string; status?: 'ready' | 'pending' | 'failed'; keptMs?: number } = {},
): Promise<MadeMedia> {
  const { content = sampleOf('video/mp4', 1_000), status = 'ready', keptMs = 30 * 86_400_000 } = more;
  const [key] = await gateway.query<{ id: string; spaceId: string }>(
    sql`select id, space_id as "spaceId" from keys where name = ${'test'}`,
  );
  const { id: keyId, spaceId } = key as { id: string; spaceId: string };
  const owner = more.owner ?? keyId;
  const [id, jobId] = [newId('media', clock.now()), newId('job', clock.now())];
  const now = new Date(clock.now()).toISOString();
  const until = new Date(clock.now() + keptMs).toISOString();
  const sha256 = createHash('sha256').update(content).digest('hex');
  const ready = status === 'ready';
  await gateway.query(sql`
    insert into video_jobs (id, space_id, owner, key_id, model, status, created_at, completed_at, expires_at)
    values (${jobId}, ${spaceId}, ${owner}, ${keyId}, 'sim-video', 'succeeded', ${now}, ${now}, ${until})`);
  await gateway.query(sql`
    insert into media (id, space_id, owner, job_id, position, kind, status, mime_type, bytes, sha256, created_at,
      expires_at)
    values (${id}, ${spaceId}, ${owner}, ${jobId}, 0, 'video', ${status}, 'video/mp4',
      ${ready ? content.length : null}, ${ready ? sha256 : null}, ${now}, ${ready ? until : null})`);
  if (ready) {
    mkdirSync(join(gateway.folder, 'blobs'), { recursive: true });
    writeFileSync(join(gateway.folder, 'blobs', id), content);
  }
  return { id, jobId, content, sha256 };
}

export interface LinkAnswer {
  readonly media_id: string;
  readonly url: string;
  readonly expires_at: number;
  readonly mime_type: string;
  readonly bytes: number;
}

export function askLink(
  gateway: TestGateway,
  id: string,
  more: { key?: string; body?: unknown } = {},
): Promise<Response> {
  const { key = gateway.key, body } = more;
  return fetch(`${gateway.url}/v1/media/${encodeURIComponent(id)}/link`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
}

export async function linked(gateway: TestGateway, id: string, body?: unknown): Promise<LinkAnswer> {
  const reply = await askLink(gateway, id, { body });
  if (reply.status !== 200) throw new Error(`${reply.status}: ${await reply.text()}`);
  return (await reply.json()) as LinkAnswer;
}
