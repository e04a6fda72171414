/** The fields of the objects in a messages request: what a translation reads, and what it leaves out. */
import { fields, isDirect, type ReadFields } from '../../reject-other-fields.ts';

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
  message: fields('role content clear_at output_config', 'id type model stop_reason stop_sequence usage'),
  blocks: {
    // Of answers: where their words are from, and what a library read in them.
    text: fields('type text cache_control', 'citations parsed_output'),
    image: fields('type source cache_control'),
    document: fields('type source title context citations cache_control'),
    tool_use: fields('type id name input cache_control', ['caller', isDirect]),
    tool_result: fields('type tool_use_id content is_error cache_control'),
    tool_reference: fields('type tool_name cache_control'),
    thinking: fields('type thinking signature'),
    redacted_thinking: fields('type data'),
  },
  tool: fields(
    'type name description input_schema strict cache_control defer_loading',
    // Arguments arrive as the provider sends them.
    'eager_input_streaming',
    ['allowed_callers', isDirect],
  ),
  choice: fields('type name disable_parallel_tool_use'),
  thinking: fields('type budget_tokens display'),
  output: fields('effort format'),
  metadata: fields('user_id'),
};
