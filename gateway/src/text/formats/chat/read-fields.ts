/** The fields of the objects in a chat request: what a translation reads, omits and rejects. */
import { answeredFields, askedFields, type ReadFields } from '../../reject-other-fields.ts';

/** Parts by their types; types that are not here are rejected themselves. */
export const chatParts: ReadonlyMap<string, ReadFields> = new Map([
  ['text', askedFields('type text cache_control prompt_cache_breakpoint')],
  ['image_url', askedFields('type image_url cache_control prompt_cache_breakpoint')],
  ['file', askedFields('type file cache_control prompt_cache_breakpoint')],
]);

export const chatObjects = {
  message: askedFields('role content name tool_call_id cache_control'),
  answer: answeredFields('function_call', 'audio'),
  image: askedFields('url detail'),
  file: askedFields('file_data filename'),
  tool: askedFields('type function custom cache_control'),
  function: askedFields('name description parameters strict'),
  custom: askedFields('name description format'),
  format: askedFields('type json_schema'),
  schema: askedFields('name description schema strict'),
} as const satisfies Readonly<Record<string, ReadFields>>;
