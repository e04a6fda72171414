import { Problem } from '../kernel/problem.ts';
import type { ImageFile, WantedImage } from './image-call.ts';
import { imageTypeOf } from './image-type.ts';

/** A picture is what its first bytes say it is. Throws a Problem when that is not wanted. */
export function checkImageFile(bytes: Buffer, { param, types }: WantedImage): ImageFile {
  const mediaType = imageTypeOf(bytes);
  if (mediaType !== null && types.includes(mediaType)) return { mediaType, bytes };
  const names = types.map((type) => type.replace('image/', '').toUpperCase()).join(' or ');
  const what = bytes.length === 0 ? 'is empty' : 'is something else';
  throw new Problem('invalid_parameter', {
    detail: `${param} must be a ${names} picture; what was sent ${what}.`,
    param,
  });
}
