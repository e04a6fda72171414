/**
 * Batch files: `POST /v1/files`, `GET /v1/files`, `GET /v1/files/{id}` and its content. What a line may hold is checked in
 * `batch-lines/check-line-value.ts`; the numbers and the reasons are here because clients read them too.
 */
import { type Static, Type } from 'typebox';
import { idPageOf, type PageLimits, PageOrderField, pageFields } from './pages.ts';
import { nullable } from './schema.ts';

export const BATCH_FILE_BYTES_MAX = 200_000_000;
export const BATCH_ROWS_MAX = 50_000;
export const BATCH_LINE_BYTES_MAX = 10_000_000;
/** For all lines of a file together; a list of token ids counts as one. */
export const EMBEDDING_INPUTS_MAX = 50_000;
/** For one list: the inputs of a line, and the token ids of each input. */
export const EMBEDDING_ELEMENTS_MAX = 2_048;
/** The most invalid rows that an answer lists. */
export const BAD_ROWS_MAX = 100;

/** The endpoints that batch lines can use. */
export const batchUrls = ['/v1/chat/completions', '/v1/responses', '/v1/embeddings'] as const;
export type BatchUrl = (typeof batchUrls)[number];

/** The names of these endpoints, in the same order. */
export const batchEndpoints = ['chat', 'responses', 'embeddings'] as const;
export type BatchEndpoint = (typeof batchEndpoints)[number];

/** Why a row of a batch file is rejected; docs/batches.md says how to fix each. */
export const rowReasons = [
  'invalid_json',
  'invalid_utf8',
  'line_too_long',
  'missing_field',
  'unknown_field',
  'invalid_type',
  'invalid_method',
  'unsupported_url',
  'mixed_endpoint',
  'mixed_model',
  'duplicate_custom_id',
  'service_tier_required',
  'service_tier_not_allowed',
  'field_not_allowed',
  'endpoint_requires_web_search',
  'responses_only_model',
  'model_not_found',
  'model_not_batchable',
  'too_many_rows',
  'too_many_embedding_inputs',
  'embedding_array_too_long',
  'empty_file',
] as const;
export type RowReason = (typeof rowReasons)[number];

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
