/** The fields of the objects in a chat request: what a translation reads, and what it leaves out. */
import { type ReadFields, readFields } from '../../reject-other-fields.ts';

interface ChatObjects {
  readonly message: ReadFields;
  /** By type. */
  readonly parts: Readonly<Record<string, ReadFields>>;
  readonly image: ReadFields;
  readonly file: ReadFields;
  readonly call: ReadFields;
  readonly tool: ReadFields;
  readonly function: ReadFields;
}

export const chatObjects: ChatObjects = {
  message: readFields(
    'role content name tool_calls tool_call_id refusal reasoning_content function_call images cache_control',
    // Of answers, which clients and servers of the protocol send back: no provider takes them from another.
    'annotations reasoning reasoning_text reasoning_details reasoning_opaque reasoning_signature thinking_blocks',
    'parsed provider_specific_fields',
    // An answer at the end of a conversation is continued everywhere.
    'prefix partial',
  ),
  parts: {
    text: readFields('type text cache_control prompt_cache_breakpoint'),
    image_url: readFields('type image_url cache_control prompt_cache_breakpoint'),
    file: readFields('type file cache_control prompt_cache_breakpoint'),
    refusal: readFields('type refusal text'),
  },
  image: readFields('url detail'),
  file: readFields('file_data filename'),
  call: readFields('id type function custom', 'index'),
  tool: readFields('type function custom cache_control'),
  function: readFields('name description parameters strict'),
};
