/** The fields of the objects in a messages request: what a translation reads, and what it leaves out. */
import { isDirect, type ReadFields, readFields } from '../../reject-other-fields.ts';

interface MessagesObjects {
  readonly message: ReadFields;
  /** By type. */
  readonly blocks: Readonly<Record<string, ReadFields>>;
  readonly tool: ReadFields;
  readonly choice: ReadFields;
  readonly thinking: ReadFields;
  readonly output: ReadFields;
  readonly metadata: ReadFields;
}

export const messagesObjects: MessagesObjects = {
  // The last two are read in system messages.
  message: readFields('role content clear_at output_config', 'id type model stop_reason stop_sequence usage'),
  blocks: {
    // Of answers: where their words are from, and what a library read in them.
    text: readFields('type text cache_control', 'citations parsed_output'),
    image: readFields('type source cache_control'),
    document: readFields('type source title context citations cache_control'),
    tool_use: readFields('type id name input cache_control', ['caller', isDirect]),
    tool_result: readFields('type tool_use_id content is_error cache_control'),
    tool_reference: readFields('type tool_name cache_control'),
    thinking: readFields('type thinking signature'),
    redacted_thinking: readFields('type data'),
  },
  tool: readFields(
    'type name description input_schema strict cache_control defer_loading',
    // Arguments arrive as the provider sends them.
    'eager_input_streaming',
    ['allowed_callers', isDirect],
  ),
  choice: readFields('type name disable_parallel_tool_use'),
  thinking: readFields('type budget_tokens display'),
  output: readFields('effort format'),
  metadata: readFields('user_id'),
};
