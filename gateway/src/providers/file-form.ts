/** A multipart form with one file of any size, for file upload APIs. */
import { type Json, textOf } from '../json/read-json.ts';
import { randomBase62 } from '../kernel/ids.ts';
import type { TransferBody } from '../net/transfer.ts';
import type { MediaInput } from './media-input.ts';

/** Long enough that no file contains it by chance. */
const BOUNDARY_CHARACTERS = 40;

export function fileForm(
  fields: Readonly<Record<string, string>>,
  file: { name: string; media: Pick<MediaInput, 'mimeType' | 'bytes' | 'pieces'> },
): { headers: Record<string, string>; body: TransferBody } {
  const boundary = randomBase62(BOUNDARY_CHARACTERS);
  const { name, media } = file;
  const part = (parameters: string): string =>
    `--${boundary}\r\ncontent-disposition: form-data; ${parameters}\r\n`;
  const texts = Object.entries(fields).map(([field, value]) => `${part(`name="${field}"`)}\r\n${value}\r\n`);
  const begun = `${part(`name="file"; filename="${name}"`)}content-type: ${media.mimeType}\r\n\r\n`;
  const head = Buffer.from(texts.join('') + begun);
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  return {
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: {
      length: head.length + media.bytes + tail.length,
      async *pieces() {
        yield head;
        yield* media.pieces();
        yield tail;
      },
    },
  };
}

/** Some providers derive the file type from the extension. */
export function assetFileName(referenceId: string, mimeType: string): string {
  const [, kind = 'bin'] = mimeType.split('/');
  return `${referenceId}.${{ quicktime: 'mov', mpeg: 'mp3' }[kind] ?? kind}`;
}

/** The id in the answer to an upload. */
export function uploadedId(json: Json | null): string {
  const id = textOf(json?.id);
  if (id === '') throw new Error('the provider accepted a file but returned no id');
  return id;
}
