/**
 * Batch files: `POST /v1/files`, `GET /v1/files`, `GET /v1/files/{id}` and its content. What a line may hold is checked in
 * `batch-lines/check-line-value.ts`; the limits are in `batch-lines/batch-limits.ts`.
 */
import { type Static, Type } from 'typebox';
import { idPageOf, type PageLimits, PageOrderField, pageFields } from './pages.ts';
import { nullable } from './schema.ts';

/** The purpose of uploaded files and of batch results. */
export const filePurposes = ['batch', 'batch_output'] as const;
export type FilePurpose = (typeof filePurposes)[number];

export const FileObject = Type.Object(
  {
    id: Type.String({ description: 'The id of the file.' }),
    object: Type.Literal('file', { description: 'Always `file`.' }),
    filename: Type.String({ description: 'The name of the upload, or of the results.' }),
    purpose: Type.Enum([...filePurposes], {
      description: '`batch` for an upload, `batch_output` for results and errors of a batch.',
    }),
    bytes: nullable(Type.Integer({ minimum: 0, description: 'The size. Null when unknown.' })),
    created_at: Type.Integer({ description: 'When it was created, in Unix seconds.' }),
    status: Type.Literal('processed', {
      description: 'Files are checked during the upload, so an existing file is ready for use.',
    }),
  },
  { description: 'A batch file.' },
);
export type FileObject = Static<typeof FileObject>;

export const FileDeleted = Type.Object(
  {
    id: Type.String({ description: 'The id of the file.' }),
    object: Type.Literal('file', { description: 'Always `file`.' }),
    deleted: Type.Literal(true, { description: 'Always true.' }),
  },
  { description: 'The file was deleted.' },
);
export type FileDeleted = Static<typeof FileDeleted>;

/** The maximum is OpenAI's, whose clients may ask for all files at once. */
export const fileLimits: PageLimits = { default: 1_000, max: 10_000 };

export const FileListQuery = Type.Object({
  ...pageFields(fileLimits),
  order: PageOrderField,
  purpose: Type.Optional(Type.Enum([...filePurposes], { description: 'Only files with this purpose.' })),
});

export const FileList = idPageOf(FileObject, 'A page of files.');
export type FileList = Static<typeof FileList>;

/** Only for the API description: forms are parsed by other code. */
export const FileForm = Type.Object(
  {
    file: Type.String({
      contentMediaType: 'application/octet-stream',
      description: 'JSONL, at most 200,000,000 bytes and 50,000 rows, for one model and one endpoint.',
    }),
    purpose: Type.Literal('batch', { description: 'Always `batch`.' }),
  },
  { additionalProperties: false, description: 'A batch file to upload.' },
);
