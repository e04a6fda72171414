/** References: `POST /v1/references` uploads one, `GET /v1/references` lists them. */
import { type Static, Type } from 'typebox';
import { idPageOf } from './pages.ts';
import { type ReferenceKind, referenceKinds, referenceTracks } from './reference-kinds.ts';
import { nullable } from './schema.ts';

export const ReferenceUpload = Type.Object(
  {
    file_id: Type.String({ description: 'The id of the reference.' }),
    reference: Type.String({ description: 'Use it unchanged in the URL fields of generation requests.' }),
    bytes: nullable(Type.Integer({ description: 'The size of the file.' })),
    track: Type.Enum([...referenceTracks], { description: 'As in the request.' }),
  },
  { description: 'An uploaded reference.' },
);
export type ReferenceUpload = Static<typeof ReferenceUpload>;

export const ReferenceObject = Type.Object(
  {
    id: Type.String({ description: 'The same as `file_id`.' }),
    object: Type.Literal('reference', { description: 'Always `reference`.' }),
    ...ReferenceUpload.properties,
    kind: Type.Enum(Object.keys(referenceKinds) as ReferenceKind[], { description: 'The kind of file.' }),
    mime_type: Type.String({ description: 'The media type of the file.' }),
    created_at: Type.Integer({ description: 'When it was uploaded, in Unix seconds.' }),
  },
  { description: 'A reference that can be used in calls.' },
);
export type ReferenceObject = Static<typeof ReferenceObject>;

export const ReferenceList = idPageOf(ReferenceObject, 'A page of references.');
export type ReferenceList = Static<typeof ReferenceList>;

export const ReferenceQuery = Type.Object({
  track: Type.Optional(
    Type.Enum([...referenceTracks], {
      description: '`file` (default), or `managed`: registered with a provider when it is used.',
    }),
  ),
});

/** Only for the API description: forms are parsed by other code. */
export const ReferenceUploadForm = Type.Object(
  {
    file: Type.String({
      contentMediaType: 'application/octet-stream',
      description: `With its own Content-Type, one of ${Object.values(referenceKinds)
        .flatMap(({ mimeTypes }) => mimeTypes)
        .join(', ')}.`,
    }),
  },
  { description: 'A file to upload.' },
);
