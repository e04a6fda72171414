/** What is wrong with a row of a batch file and how to fix it, by name: the console says the same in other languages. */
import { jsonSentences } from '../../json/json-problems.ts';
import type { Sentence } from '../../kernel/sentence.ts';

/** The parser speaks of the body of a request; here it is a line. */
const lineSentences = Object.fromEntries(
  Object.entries(jsonSentences).map(([name, text]) => [name, text.replace(/^The body/, 'The line')]),
) as Readonly<Record<keyof typeof jsonSentences, string>>;

export const rowSentences = {
  ...lineSentences,
  carriage_return: 'It has a carriage return in it; lines are ended by LF or CRLF.',
  not_utf8: 'The line is not valid UTF-8; save the file as UTF-8.',
  no_rows: 'The file has no rows.',
  long_line: 'The line is longer than {max} bytes; make it shorter.',
  too_many_rows: 'A file has at most {max} rows; put the rest into another.',
  used_custom_id: 'Row {row} has the same custom_id; give each row its own.',
  empty_custom_id: 'custom_id is empty; give the row a name of its own.',
  unstorable_custom_id: 'custom_id must be text without NUL and without half a character.',
  other_url: 'Rows before this one are for {url}; a file is for one url.',
  other_model: 'Rows before this one are for {model}; a file is for one model.',
  unknown_line_field: 'A line has {fields} and no {field}.',
  missing: '{field} is missing.',
  not_object: '{field} must be an object.',
  not_string: '{field} must be a string.',
  not_messages: '{field} must be a list of messages, not empty.',
  not_items: '{field} must be a string or a list of objects, not empty.',
  not_text: '{field} must be a text that is not empty.',
  not_token: '{field} must be a token id.',
  not_input: '{field} must be a text, a list of texts, or token ids.',
  not_like_first: '{field} must be a text, a token id, or a list of token ids, as input[0] is.',
  empty_list: '{field} must not be empty.',
  long_list: '{field} has {count} elements; a list in a batch file has at most {max}.',
  too_many_inputs: 'With this row the file has {count} embedding inputs; it may have {max}.',
  wrong_method: 'method must be "POST", not {method}.',
  wrong_url: 'url must be one of {urls}, not {url}.',
  field_not_allowed: '{field} is not taken in a batch; leave it out.',
  stored_at_provider: '{field} names something that is stored at a provider; leave it out.',
  kept_response: '{field} refers to a kept response; a line has the whole conversation.',
  no_output_cap: '{url} has no {field}; leave it out.',
  other_output_cap: '{url} has no {field}; the output cap is called {own}.',
  price_missing:
    '{field} asks for something that has no price for {model} ({part}); leave it out, or ask your operator for a price.',
  no_service_tier: 'Lines of embeddings have no service_tier; leave it out.',
  service_tier_missing: 'Add "service_tier": "default" to the body.',
  web_search_missing: 'Lines for {model} need {tools} in the body.',
  unknown_model: 'There is no model {model} in this space.',
  responses_only: '{model} takes /v1/responses only; write the line for that url.',
  url_not_offered: '{model} does not support {url}.',
  no_batches: '{model} does not support batches; GET /v1/models shows which models do (supports_batch).',
} as const;

export type RowSentenceName = keyof typeof rowSentences;
export type RowSentence = Sentence<RowSentenceName>;
