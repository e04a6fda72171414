/** Tells by its first bytes what was sent inside a request. Pure. */
import type { ReferenceKind } from '../contract/references.ts';
import { sniffImage } from '../text/images/sniff-image.ts';

export interface SniffedInput {
  readonly kind: ReferenceKind;
  readonly mimeType: string;
}

const HEAD_BYTES = 12;

/** Null for what no video begins from. */
export function sniffInput(bytes: Buffer): SniffedInput | null {
  const image = sniffImage(bytes);
  if (image !== null) return { kind: 'image', mimeType: image };
  const head = bytes.toString('latin1', 0, HEAD_BYTES);
  if (/^GIF8[79]a/.test(head)) return { kind: 'image', mimeType: 'image/gif' };
  if (head.startsWith('ftyp', 4)) {
    return { kind: 'video', mimeType: head.startsWith('qt  ', 8) ? 'video/quicktime' : 'video/mp4' };
  }
  if (head.startsWith('RIFF') && head.startsWith('WAVE', 8)) return { kind: 'audio', mimeType: 'audio/wav' };
  // A tag, or the first frame of MPEG layer III.
  const isMp3 = head.startsWith('ID3') || /^\xff[\xe2\xe3\xf2\xf3\xfa\xfb]/.test(head);
  return isMp3 ? { kind: 'audio', mimeType: 'audio/mpeg' } : null;
}
