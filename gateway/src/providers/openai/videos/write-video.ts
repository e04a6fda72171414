/** Writes a video call for OpenAI: a form, with an image if there is one. Pure. */
import type { VideoCall } from '../../video-provider.ts';
import { videoSize } from './video-size.ts';

export interface VideoForm {
  readonly contentType: string;
  /** The parts of the form before and after the bytes of the image. */
  readonly head: Buffer;
  readonly tail: Buffer;
}

/** The image: a file in the form, or the id of a file that the provider has. */
export type FormImage = { readonly mimeType: string } | { readonly fileId: string };

/** `boundary` must occur neither in the prompt nor in the image. */
export function writeVideoForm(
  { call, upstreamModel, picture }: { call: VideoCall; upstreamModel: string; picture: FormImage | null },
  boundary: string,
): VideoForm {
  const part = (parameters: string, value: string): string =>
    `--${boundary}\r\ncontent-disposition: form-data; ${parameters}\r\n${value}`;
  const fields: Array<[string, string | null]> = [
    ['model', upstreamModel],
    ['prompt', call.prompt],
    ['seconds', call.seconds === null ? null : String(call.seconds)],
    ['size', videoSize(call)],
    ['input_reference[file_id]', picture !== null && 'fileId' in picture ? picture.fileId : null],
  ];
  let head = fields
    .map(([name, value]) => (value === null ? '' : part(`name="${name}"`, `\r\n${value}\r\n`)))
    .join('');
  const follows = picture !== null && 'mimeType' in picture;
  if (follows) {
    const filename = `picture.${picture.mimeType.replace('image/', '')}`;
    const type = `content-type: ${picture.mimeType}\r\n\r\n`;
    head += part(`name="input_reference"; filename="${filename}"`, type);
  }
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    head: Buffer.from(head),
    tail: Buffer.from(`${follows ? '\r\n' : ''}--${boundary}--\r\n`),
  };
}
