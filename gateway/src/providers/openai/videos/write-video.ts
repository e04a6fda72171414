/** Calls for videos in OpenAI's words: a form, with a picture where one is given. Pure. */
import type { VideoCall } from '../../video-provider.ts';
import { videoSize } from './video-size.ts';

export interface VideoForm {
  readonly contentType: string;
  /** What goes before the bytes of the picture, and behind them. */
  readonly head: Buffer;
  readonly tail: Buffer;
}

/** The picture, as a file that follows, or as one that the provider has. */
export type FormPicture = { readonly mimeType: string } | { readonly fileId: string };

/** `boundary` must be one that neither the prompt nor the picture holds. */
export function writeVideoForm(
  { call, upstreamModel, picture }: { call: VideoCall; upstreamModel: string; picture: FormPicture | null },
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
