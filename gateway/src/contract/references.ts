/** Reference uploads: `POST /v1/references`. */
import { type Static, Type } from 'typebox';
import { referenceKinds, referenceTracks } from './reference-kinds.ts';
import { nullable } from './schema.ts';

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
