/** Puts the files that a request names into it, so that the model reads their content. */

import { anthropic } from '../anthropic/anthropic.ts';
import { invalid } from '../anthropic/refusals.ts';
import type { Shop, ShopFile } from '../batches/shop.ts';
import { type Dialect, oneHeader, type RequestHeaders } from '../dialect.ts';
import { google } from '../google/google.ts';
import { type Json, record } from '../json.ts';
import { unknownFile } from '../openai/responses-refusals.ts';
import { Refusal } from '../refusal.ts';
import { FILES_BETA } from './anthropic-files.ts';
import { unknownGoogleFile } from './google-files.ts';

interface Seen {
  readonly body: unknown;
  readonly text: string;
  readonly headers: RequestHeaders;
}

/** Throws a Refusal for files that are not there. */
export function seeFiles({ body, text, headers }: Seen, dialect: Dialect, shop: Shop): unknown {
  // Few requests name any.
  if (!/"file_id"|\/v1beta\/files\//.test(text)) return body;
  if (dialect.host === google.host) return everywhere(body, (it) => seeGoogle(it, shop));
  if (dialect.host === anthropic.host) {
    const allowed = (oneHeader(headers, 'anthropic-beta') ?? '').split(',').includes(FILES_BETA);
    return everywhere(body, (it) => seeAnthropic(it, shop, allowed));
  }
  return everywhere(body, (it) => seeOpenAi(it, shop));
}

function everywhere(value: unknown, see: (object: Json) => Json): unknown {
  if (Array.isArray(value)) return value.map((item) => everywhere(item, see));
  const object = record(value);
  if (object === null) return value;
  return Object.fromEntries(Object.entries(see(object)).map(([name, item]) => [name, everywhere(item, see)]));
}

function seeOpenAi(part: Json, shop: Shop): Json {
  if (part.type !== 'input_image' || typeof part.file_id !== 'string') return part;
  const file = shop.files.get(part.file_id);
  if (file === undefined || !['vision', 'user_data'].includes(file.purpose)) throw unknownFile(part.file_id);
  const { file_id: _, ...rest } = part;
  return { ...rest, image_url: `data:${file.mediaType};base64,${base64(file)}` };
}

function seeAnthropic(source: Json, shop: Shop, allowed: boolean): Json {
  if (source.type !== 'file' || typeof source.file_id !== 'string') return source;
  if (!allowed) throw invalid(`messages: Input tag 'file' needs anthropic-beta: ${FILES_BETA}.`);
  const file = shop.files.get(source.file_id);
  if (file?.purpose !== 'anthropic') throw new Refusal(404, `File not found: ${source.file_id}`);
  return { type: 'base64', media_type: file.mediaType, data: base64(file) };
}

function seeGoogle(part: Json, shop: Shop): Json {
  const uri = String(record(part.fileData)?.fileUri ?? '');
  const id = /\/v1beta\/(files\/[^/?]+)$/.exec(uri)?.[1];
  if (id === undefined) return part;
  const file = shop.files.get(id);
  if (file === undefined) throw unknownGoogleFile(id.replace('files/', ''));
  const { fileData: _, ...rest } = part;
  return { ...rest, inlineData: { mimeType: file.mediaType, data: base64(file) } };
}

function base64({ bytes }: ShopFile): string {
  return bytes.toString('base64');
}
