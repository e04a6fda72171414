/** Whether bytes are an image of the declared type, among the types that the stand-in models accept. */
import { sniffMedia } from '../../src/kernel/sniff-media.ts';

const IMAGE_TYPES = ['image/jpeg', 'image/png', 'image/webp'];

export function isImage(data: Buffer, declaredType: string): boolean {
  return IMAGE_TYPES.includes(declaredType) && sniffMedia(data) === declaredType;
}
