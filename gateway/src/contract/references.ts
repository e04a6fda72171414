/** Reference uploads: `POST /v1/references`. */
import { type Static, Type } from 'typebox';
import { nullable } from './schema.ts';

const MIB = 1_048_576;
export const REFERENCE_BYTES_MAX = 200 * MIB;

/** What a reference can be: how large, and by which names its formats go. */
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

/** How a reference stands in the URL fields of a request. */
export const referenceSchemes: Readonly<Record<ReferenceTrack, string>> = {
  file: 'svc-file://',
  managed: 'svc-asset://',
};

export const ReferenceUpload = Type.Object({
  file_id: Type.String(),
  reference: Type.String({ description: 'To be used unchanged in the URL fields of generations.' }),
  bytes: nullable(Type.Integer()),
  track: Type.Enum([...referenceTracks]),
});
export type ReferenceUpload = Static<typeof ReferenceUpload>;

export const ReferenceQuery = Type.Object({
  track: Type.Optional(
    Type.Enum([...referenceTracks], {
      description: 'file (as is the default), or managed: to be registered with a provider when it is used.',
    }),
  ),
});

/** Published only: forms are read by hand. */
export const ReferenceForm = Type.Object({
  file: Type.String({
    contentMediaType: 'application/octet-stream',
    description: `With its own Content-Type, one of ${Object.values(referenceKinds)
      .flatMap(({ mimeTypes }) => mimeTypes)
      .join(', ')}.`,
  }),
});
