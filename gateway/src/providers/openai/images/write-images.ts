/** Writes an image call for OpenAI: the caller's JSON, or a form with the files. Pure. */

import type { ImageCall, ImageEdit, ImageFile, ImageGeneration } from '../../../images/image-call.ts';
import { removeFields, replaceFields } from '../../../json/edit-fields.ts';
import { putInline } from '../../../json/placeholders.ts';
import type { ImageSend } from '../../provider.ts';

/**
 * Fields that only the gateway reads. Answers are always base64 and never streamed; newer models reject these
 * fields.
 */
const OURS = ['response_format', 'stream'];

/** `boundary` must not occur in any file. */
export function writeImagesRequest(call: ImageCall, upstreamModel: string, boundary: string): ImageSend {
  return call.kind === 'generate'
    ? { kind: 'generate', upstreamModel, ...writeGeneration(call, upstreamModel) }
    : { kind: 'edit', upstreamModel, ...writeEdit(call, upstreamModel, boundary) };
}

type Written = Pick<ImageSend, 'body' | 'contentType'>;

function writeGeneration({ body }: ImageGeneration, upstreamModel: string): Written {
  const bytes = replaceFields(removeFields(body, OURS), { model: JSON.stringify(upstreamModel) });
  return { body: putInline(bytes, body.inline), contentType: 'application/json' };
}

function writeEdit(call: ImageEdit, upstreamModel: string, boundary: string): Written {
  const pieces: Buffer[] = [];
  const field = (name: string, value: string): void => {
    pieces.push(Buffer.from(`${head(boundary, `name="${name}"`)}\r\n\r\n${value}\r\n`));
  };
  const file = (name: string, filename: string, { mediaType, bytes }: ImageFile): void => {
    const begun = head(boundary, `name="${name}"; filename="${filename}.${mediaType.replace('image/', '')}"`);
    pieces.push(Buffer.from(`${begun}\r\nContent-Type: ${mediaType}\r\n\r\n`), bytes, LINE_END);
  };
  for (const [name, value] of Object.entries({ ...call.fields, model: upstreamModel })) {
    if (value !== null && value !== undefined && !OURS.includes(name)) field(name, String(value));
  }
  const name = call.images.length === 1 ? 'image' : 'image[]';
  call.images.forEach((image, i) => {
    file(name, `image-${i + 1}`, image);
  });
  if (call.mask !== null) file('mask', 'mask', call.mask);
  pieces.push(Buffer.from(`--${boundary}--\r\n`));
  return { body: pieces, contentType: `multipart/form-data; boundary=${boundary}` };
}

function head(boundary: string, parameters: string): string {
  return `--${boundary}\r\nContent-Disposition: form-data; ${parameters}`;
}

const LINE_END = Buffer.from('\r\n');
