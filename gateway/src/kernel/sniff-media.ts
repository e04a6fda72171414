/**
 * Recognises media formats by their first bytes, because a declared type or a file name may be wrong or forged.
 * The only place that knows how formats begin. Pure.
 */

/** How many of the first bytes are enough to recognise every format. */
export const SNIFF_BYTES = 512;

export type MediaType =
  | 'image/png'
  | 'image/jpeg'
  | 'image/webp'
  | 'image/gif'
  | 'image/bmp'
  | 'image/tiff'
  | 'image/heic'
  | 'image/heif'
  | 'video/mp4'
  | 'video/quicktime'
  | 'audio/wav'
  | 'audio/mpeg';

/** Null for everything else: text, vector images, other containers, no bytes at all. */
export function sniffMedia(bytes: Buffer): MediaType | null {
  const head = bytes.length > SNIFF_BYTES ? bytes.subarray(0, SNIFF_BYTES) : bytes;
  for (const [begins, type] of beginnings) if (begins(head)) return type;
  return sniffBoxes(head);
}

const text = (head: Buffer, at: number, length: number): string => head.toString('latin1', at, at + length);
const startsWith =
  (...signatures: readonly string[]) =>
  (head: Buffer): boolean =>
    signatures.some((signature) => text(head, 0, signature.length) === signature);
const riffOf =
  (content: string) =>
  (head: Buffer): boolean =>
    text(head, 0, 4) === 'RIFF' && text(head, 8, 4) === content;

const beginnings: ReadonlyArray<readonly [(head: Buffer) => boolean, MediaType]> = [
  [startsWith('\x89PNG\r\n\x1a\n'), 'image/png'],
  [startsWith('\xff\xd8\xff'), 'image/jpeg'],
  [startsWith('GIF87a', 'GIF89a'), 'image/gif'],
  [startsWith('II*\0', 'MM\0*'), 'image/tiff'],
  [riffOf('WEBP'), 'image/webp'],
  [riffOf('WAVE'), 'audio/wav'],
  [isBmp, 'image/bmp'],
  [(head) => startsWith('ID3')(head) || isMp3Frame(head), 'audio/mpeg'],
];

/** Texts can begin with the same two letters, so the size of the second header is checked too. */
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

/** Brands of audio, AVIF, 3GP and JPEG 2000 files: the same container, but not MP4 video. */
const OTHER_BRANDS = /^(M4A|M4B|M4P|avi[fs]|3g|crx|jp|mj)/;
const HEIC_BRANDS = ['heic', 'heix', 'heim', 'heis', 'hevc', 'hevx', 'hevm', 'hevs'];
const HEIF_BRANDS = ['mif1', 'mif2', 'msf1'];
const MP4_BRANDS = /^(isom|iso[2-9a-c]|mp4[12]|mp71|avc1|M4V|MSNV|dash|cmf[c2]|XAVC|f4v|F4V)/;
/** First boxes of QuickTime files that are older than brands. */
const OLD_BOXES = ['moov', 'mdat', 'wide', 'free', 'skip', 'pnot'];

/** ISO base media files consist of boxes: a length, a name, the content. The first one lists compatible brands. */
function sniffBoxes(head: Buffer): MediaType | null {
  if (head.length < 8) return null;
  const size = head.readUInt32BE(0);
  const name = text(head, 4, 4);
  if (OLD_BOXES.includes(name)) return size < 2 || size >= 8 ? 'video/quicktime' : null;
  if (name !== 'ftyp' || size < 16 || head.length < 16) return null;
  const main = text(head, 8, 4);
  const brands = [main];
  for (let at = 16; at + 4 <= Math.min(size, head.length); at += 4) brands.push(text(head, at, 4));
  return typeOfBrands(main, brands);
}

function typeOfBrands(main: string, brands: readonly string[]): MediaType | null {
  if (main === 'qt  ') return 'video/quicktime';
  if (OTHER_BRANDS.test(main)) return null;
  if (HEIC_BRANDS.includes(main)) return 'image/heic';
  if (HEIF_BRANDS.includes(main)) {
    if (brands.some((brand) => HEIC_BRANDS.includes(brand))) return 'image/heic';
    return brands.some((brand) => OTHER_BRANDS.test(brand)) ? null : 'image/heif';
  }
  return brands.some((brand) => MP4_BRANDS.test(brand)) ? 'video/mp4' : null;
}
