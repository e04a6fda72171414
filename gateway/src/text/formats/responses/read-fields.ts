/** The fields of the objects in a responses request: what a translation reads, omits and rejects. */
import { answeredFields, askedFields, isDirect, type ReadFields } from '../../reject-other-fields.ts';

const direct = ['caller', isDirect] as const;
const call = answeredFields('async', direct);
const result = askedFields('type call_id output', 'id status name namespace', direct);

/** Items by their types. Others have nothing that a translation reads, or are rejected by their types. */
export const responsesItemFields: ReadonlyMap<string, ReadFields> = new Map([
  ['message', askedFields('type role content', 'id status phase')],
  ['function_call', call],
  ['custom_tool_call', call],
  ['function_call_output', result],
  ['custom_tool_call_output', result],
]);

/** Parts of what a user or a tool says; types that are not here are rejected themselves. */
export const responsesParts: ReadonlyMap<string, ReadFields> = new Map([
  ['input_text', askedFields('type text prompt_cache_breakpoint')],
  ['input_image', askedFields('type image_url detail prompt_cache_breakpoint file_id')],
  // No other dialect has a detail for files.
  ['input_file', askedFields('type file_data file_url filename prompt_cache_breakpoint file_id', 'detail')],
]);

export const responsesFormatFields = askedFields('type name description schema strict');

export const responsesToolFields = askedFields(
  'type name description parameters strict format',
  // Describes the result, which the caller has.
  'output_schema',
  ['allowed_callers', isDirect],
);
