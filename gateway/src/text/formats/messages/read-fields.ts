/** The fields of the objects in a messages request: what a translation reads, omits and rejects. */
import { answeredFields, askedFields, isDirect, type ReadFields } from '../../reject-other-fields.ts';

/** Blocks of what a user says; types that are not here are rejected themselves. */
export const messagesBlocks: ReadonlyMap<string, ReadFields> = new Map([
  ['text', askedFields('type text cache_control', 'citations')],
  ['image', askedFields('type source cache_control')],
  ['document', askedFields('type source title context citations cache_control')],
  ['tool_result', askedFields('type tool_use_id content is_error cache_control')],
  ['tool_reference', askedFields('type tool_name cache_control')],
]);

export const messagesObjects = {
  // The last two are read in system messages.
  message: askedFields('role content clear_at output_config'),
  /** A block of an answer. */
  answered: answeredFields('toolset_name', ['caller', isDirect]),
  tool: askedFields(
    'type name description input_schema strict cache_control defer_loading',
    // Arguments arrive as the provider sends them.
    'eager_input_streaming',
    ['allowed_callers', isDirect],
  ),
  tool_choice: askedFields('type name disable_parallel_tool_use'),
  thinking: askedFields('type budget_tokens display'),
  output_config: askedFields('effort format'),
  metadata: askedFields('user_id'),
} as const satisfies Readonly<Record<string, ReadFields>>;
