/**
 * The formats of references: their MIME types and file name extensions. A name and an extension are declared by the
 * sender; kernel/sniff-media.ts says what the bytes are. Pure.
 */
import { type ReferenceKind, referenceKinds } from '../contract/reference-kinds.ts';
import { type MediaType, sniffMedia } from '../kernel/sniff-media.ts';

export interface MediaFormat {
  /** The MIME type under which it is stored. */
  readonly mimeType: string;
  /** Other MIME types for the same format. */
  readonly aliases: readonly string[];
  readonly kind: ReferenceKind;
  /** File extensions, the usual one first. */
  readonly extensions: readonly string[];
}

const format = (
  mimeType: MediaType,
  extensions: readonly string[],
  aliases: readonly string[] = [],
): MediaFormat => ({ mimeType, aliases, kind: mimeType.split('/')[0] as ReferenceKind, extensions });

const png = format('image/png', ['.png']);
const jpeg = format('image/jpeg', ['.jpg', '.jpeg', '.jpe', '.jfif'], ['image/jpg']);
const webp = format('image/webp', ['.webp']);
const gif = format('image/gif', ['.gif']);
const bmp = format('image/bmp', ['.bmp', '.dib']);
const tiff = format('image/tiff', ['.tiff', '.tif']);
const heic = format('image/heic', ['.heic']);
const heif = format('image/heif', ['.heif', '.hif']);
const mp4 = format('video/mp4', ['.mp4', '.m4v']);
const quicktime = format('video/quicktime', ['.mov', '.qt']);
const wav = format('audio/wav', ['.wav'], ['audio/x-wav', 'audio/wave']);
const mp3 = format('audio/mpeg', ['.mp3'], ['audio/mp3']);

const formats = [png, jpeg, webp, gif, bmp, tiff, heic, heif, mp4, quicktime, wav, mp3];

export const allowedMimeTypes: readonly string[] = Object.values(referenceKinds).flatMap(
  ({ mimeTypes }) => mimeTypes,
);

/** By any of its MIME types; null if it cannot be a reference. */
export function formatNamed(mimeType: string): MediaFormat | null {
  return formats.find((one) => one.mimeType === mimeType || one.aliases.includes(mimeType)) ?? null;
}

/** By the extension of a file name; null if it is unknown. */
export function formatOfFilename(filename: string): MediaFormat | null {
  const lower = filename.toLowerCase();
  return formats.find(({ extensions }) => extensions.some((end) => lower.endsWith(end))) ?? null;
}

/** With its dot; empty for an unknown type. */
export function extensionOf(mimeType: string): string {
  return formatNamed(mimeType)?.extensions[0] ?? '';
}

/** HEIC is HEIF with one particular encoding, and each is often labelled as the other. */
export function isSameFamily(declared: MediaFormat, found: MediaFormat): boolean {
  const heifs = [heic, heif];
  return declared === found || (heifs.includes(declared) && heifs.includes(found));
}

/** The format of the bytes; null if it cannot be a reference. */
export function sniffFormat(head: Buffer): MediaFormat | null {
  const type = sniffMedia(head);
  return type === null ? null : formatNamed(type);
}
