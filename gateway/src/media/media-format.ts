/**
 * The file formats of references: their MIME types, file extensions and magic bytes. Pure. A type and an extension are
 * only claims; the bytes decide.
 */
import { type ReferenceKind, referenceKinds } from '../contract/reference-kinds.ts';

export interface MediaFormat {
  /** The MIME type under which it is stored. */
  readonly mimeType: string;
  /** Other MIME types for the same format. */
  readonly aliases: readonly string[];
  readonly kind: ReferenceKind;
  /** File extensions, the usual one first. */
  readonly extensions: readonly string[];
}

/** Number of first bytes that identify the format. */
export const SNIFF_BYTES = 512;

const format = (
  mimeType: string,
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
  for (const [begins, found] of beginnings) if (begins(head)) return found;
  return sniffBoxes(head);
}

const text = (head: Buffer, at: number, length: number): string => head.toString('latin1', at, at + length);
const startsWith =
  (...beginnings: readonly string[]) =>
  (head: Buffer): boolean =>
    beginnings.some((beginning) => text(head, 0, beginning.length) === beginning);
const riffOf =
  (what: string) =>
  (head: Buffer): boolean =>
    text(head, 0, 4) === 'RIFF' && text(head, 8, 4) === what;

const beginnings: ReadonlyArray<readonly [(head: Buffer) => boolean, MediaFormat]> = [
  [startsWith('\x89PNG\r\n\x1a\n'), png],
  [startsWith('\xff\xd8\xff'), jpeg],
  [startsWith('GIF87a', 'GIF89a'), gif],
  [startsWith('II*\0', 'MM\0*'), tiff],
  [riffOf('WEBP'), webp],
  [riffOf('WAVE'), wav],
  [isBmp, bmp],
  [(head) => startsWith('ID3')(head) || isMp3Frame(head), mp3],
];

/** Many texts begin with these two letters; the second header has one of a few sizes. */
function isBmp(head: Buffer): boolean {
  const sizes = [12, 16, 40, 52, 56, 64, 108, 124];
  return text(head, 0, 2) === 'BM' && head.length >= 18 && sizes.includes(head.readUInt32LE(14));
}

/** A frame of MPEG audio, layer III: eleven set bits, then no reserved value. */
function isMp3Frame(head: Buffer): boolean {
  if (head.length < 4) return false;
  const [first, second, third] = head as unknown as [number, number, number];
  const [version, layer] = [(second >> 3) & 3, (second >> 1) & 3];
  const [bitrate, sampleRate] = [third >> 4, (third >> 2) & 3];
  const synced = first === 0xff && second >> 5 === 7;
  return synced && version !== 1 && layer === 1 && bitrate !== 15 && sampleRate !== 3;
}

/** Brands of files that are not MP4 videos in the sense of the list. */
const OTHER_BRANDS = /^(M4A|M4B|M4P|avi[fs]|3g|crx|jp|mj)/;
const HEIC_BRANDS = ['heic', 'heix', 'heim', 'heis', 'hevc', 'hevx', 'hevm', 'hevs'];
const HEIF_BRANDS = ['mif1', 'mif2', 'msf1'];
const MP4_BRANDS = /^(isom|iso[2-9a-c]|mp4[12]|mp71|avc1|M4V|MSNV|dash|cmf[c2]|XAVC|f4v|F4V)/;
/** First boxes of videos that are older than brands. */
const OLD_BOXES = ['moov', 'mdat', 'wide', 'free', 'skip', 'pnot'];

/** Files that consist of boxes: a length, a name, the content. The first box lists compatible brands. */
function sniffBoxes(head: Buffer): MediaFormat | null {
  if (head.length < 8) return null;
  const size = head.readUInt32BE(0);
  const name = text(head, 4, 4);
  if (OLD_BOXES.includes(name)) return size < 2 || size >= 8 ? quicktime : null;
  if (name !== 'ftyp' || size < 16 || head.length < 16) return null;
  const main = text(head, 8, 4);
  const brands = [main];
  for (let at = 16; at + 4 <= Math.min(size, head.length); at += 4) brands.push(text(head, at, 4));
  return formatOfBrands(main, brands);
}

function formatOfBrands(main: string, brands: readonly string[]): MediaFormat | null {
  if (main === 'qt  ') return quicktime;
  if (OTHER_BRANDS.test(main)) return null;
  if (HEIC_BRANDS.includes(main)) return heic;
  if (HEIF_BRANDS.includes(main)) {
    if (brands.some((brand) => HEIC_BRANDS.includes(brand))) return heic;
    return brands.some((brand) => OTHER_BRANDS.test(brand)) ? null : heif;
  }
  return brands.some((brand) => MP4_BRANDS.test(brand)) ? mp4 : null;
}
