import { Problem } from '../kernel/problem.ts';
import type { ExpectedImage, ImageFile } from './image-call.ts';
import { imageTypeOf } from './image-type.ts';

/** Checks an image by its first bytes. Throws a Problem if the type is not accepted. */
export function checkImageFile(bytes: Buffer, { param, types }: ExpectedImage): ImageFile {
  const mediaType = imageTypeOf(bytes);
  if (mediaType !== null && types.includes(mediaType)) return { mediaType, bytes };
  const names = types.map((type) => type.replace('image/', '').toUpperCase()).join(' or ');
  const what = bytes.length === 0 ? 'is empty' : 'is something else';
  throw new Problem('invalid_parameter', {
    detail: `${param} must be a ${names} image; the file ${what}.`,
    param,
  });
}
