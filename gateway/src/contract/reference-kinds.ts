/** The kinds of references and their URL schemes, without the schema library. */
import { MIB } from '../kernel/bytes.ts';

export const REFERENCE_BYTES_MAX = 200 * MIB;

/** The kinds of references: size limits and formats. */
export const referenceKinds = {
  image: {
    bytesMax: 30 * MIB,
    mimeTypes: [
      'image/png',
      'image/jpeg',
      'image/jpg',
      'image/webp',
      'image/gif',
      'image/bmp',
      'image/tiff',
      'image/heic',
      'image/heif',
    ],
  },
  video: { bytesMax: 200 * MIB, mimeTypes: ['video/mp4', 'video/quicktime'] },
  audio: {
    bytesMax: 15 * MIB,
    mimeTypes: ['audio/wav', 'audio/x-wav', 'audio/wave', 'audio/mpeg', 'audio/mp3'],
  },
} as const;
export type ReferenceKind = keyof typeof referenceKinds;

export const referenceTracks = ['file', 'managed'] as const;
export type ReferenceTrack = (typeof referenceTracks)[number];

/** The URL schemes of references. */
export const referenceSchemes: Readonly<Record<ReferenceTrack, string>> = {
  file: 'svc-file://',
  managed: 'svc-asset://',
};
