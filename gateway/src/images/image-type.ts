/** The image formats that an image edit accepts. Pure. */
import { sniffMedia } from '../kernel/sniff-media.ts';

export const imageTypes = ['image/png', 'image/jpeg', 'image/webp'] as const;
export type ImageType = (typeof imageTypes)[number];

/** Null for everything else: text, vector images, animations, no bytes at all. */
export function imageTypeOf(bytes: Buffer): ImageType | null {
  const type = sniffMedia(bytes);
  return imageTypes.find((one) => one === type) ?? null;
}
