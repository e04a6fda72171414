/** The limits of batch files and the reasons to reject a row, without the schema library: clients read them too. */
export const BATCH_FILE_BYTES_MAX = 200_000_000;
export const BATCH_ROWS_MAX = 50_000;
export const BATCH_LINE_BYTES_MAX = 10_000_000;
/** For all lines of a file together; a list of token ids counts as one. */
export const EMBEDDING_INPUTS_MAX = 50_000;
/** For one list: the inputs of a line, and the token ids of each input. */
export const EMBEDDING_ELEMENTS_MAX = 2_048;
/** The most invalid rows that an answer lists. */
export const BAD_ROWS_MAX = 100;

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
  'price_missing',
  'responses_only_model',
  'model_not_found',
  'model_not_batchable',
  'too_many_rows',
  'too_many_embedding_inputs',
  'embedding_array_too_long',
  'empty_file',
] as const;
export type RowReason = (typeof rowReasons)[number];
