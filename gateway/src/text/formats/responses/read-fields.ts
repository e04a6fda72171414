/** The fields of the objects in a responses request: what a translation reads, and what it leaves out. */
import { isDirect, type ReadFields, readFields } from '../../reject-other-fields.ts';

const call = 'type call_id name namespace';
const direct = ['caller', isDirect] as const;

interface ResponsesObjects {
  /** By type. What is not here has nothing that a translation reads, or is checked elsewhere. */
  readonly items: Readonly<Record<string, ReadFields>>;
  readonly parts: Readonly<Record<string, ReadFields>>;
  readonly tool: ReadFields;
}

export const responsesObjects: ResponsesObjects = {
  items: {
    // Whether words were said before or after tools were called shows in their order.
    message: readFields('type role content', 'id status phase'),
    function_call: readFields(`${call} arguments`, 'id status parsed_arguments', direct),
    custom_tool_call: readFields(`${call} input`, 'id status', direct),
    function_call_output: readFields('type call_id output', 'id status name namespace', direct),
    custom_tool_call_output: readFields('type call_id output', 'id status name namespace', direct),
  },
  parts: {
    input_text: readFields('type text prompt_cache_breakpoint'),
    // Types are known by their bytes, and no other dialect has a detail for files.
    input_image: readFields('type image_url detail prompt_cache_breakpoint file_id'),
    input_file: readFields('type file_data file_url filename prompt_cache_breakpoint file_id', 'detail'),
    // What an answer said about its own words.
    output_text: readFields('type text', 'annotations logprobs parsed'),
    refusal: readFields('type refusal text'),
  },
  tool: readFields(
    'type name description parameters strict format',
    // Describes the result, which the caller has.
    'output_schema',
    ['allowed_callers', isDirect],
  ),
};
