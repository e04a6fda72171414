/**
 * Detects the type of an image by its first bytes, because the declared type may be wrong or forged. Pure.
 */

export const imageTypes = ['image/png', 'image/jpeg', 'image/webp'] as const;
export type ImageType = (typeof imageTypes)[number];

const PNG = '\x89PNG\r\n\x1a\n';
const JPEG = '\xff\xd8\xff';
const MAGIC_BYTES = 12;

/** Null for everything else: text, vector images, animations, empty files. */
export function sniffImage(bytes: Buffer): ImageType | null {
  const head = bytes.toString('latin1', 0, MAGIC_BYTES);
  if (head.startsWith(PNG)) return 'image/png';
  if (head.startsWith(JPEG)) return 'image/jpeg';
  // Four bytes of length are between the two.
  return head.startsWith('RIFF') && head.startsWith('WEBP', 8) ? 'image/webp' : null;
}
