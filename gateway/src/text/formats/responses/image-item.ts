/** Generated images as output items: a tool call with the image as its result. */
import { type Json, textOf } from '../../../json/read-json.ts';
import { sniffMedia } from '../../../kernel/sniff-media.ts';

const HEAD_CHARACTERS = 64;

export interface ImageItem {
  readonly id: string;
  readonly type: 'image_generation_call';
  status: 'in_progress' | 'completed';
  result: string | null;
  readonly output_format: string;
}

export function imageItem(id: string, image: { mediaType: string; base64: string }): ImageItem {
  const output_format = image.mediaType.replace(/^image\//, '');
  return { id, type: 'image_generation_call', status: 'completed', result: image.base64, output_format };
}

/** Null if there is no image yet. */
export function imageOfItem(item: Json): { mediaType: string; base64: string } | null {
  const base64 = textOf(item.result);
  if (base64 === '') return null;
  return { mediaType: `image/${textOf(item.output_format) || formatOf(base64)}`, base64 };
}

/** Providers may omit the format; the first bytes show it. */
function formatOf(base64: string): string {
  const type = sniffMedia(Buffer.from(base64.slice(0, HEAD_CHARACTERS), 'base64'));
  return type?.startsWith('image/') ? type.slice('image/'.length) : 'png';
}
