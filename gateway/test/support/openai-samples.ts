/** Replies as the public documentation of OpenAI shows them. */

export const completion = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1_741_569_952,
  model: 'gpt-5',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: 'Hello!', refusal: null, annotations: [] },
      logprobs: null,
      finish_reason: 'stop',
    },
  ],
  usage: {
    prompt_tokens: 19,
    completion_tokens: 10,
    total_tokens: 29,
    prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
  },
  service_tier: 'default',
};
export const toolCall = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{}' } };
export const chunk = {
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1_741_569_952,
  model: 'gpt-5',
  choices: [{ index: 0, delta: { role: 'assistant', content: '' }, logprobs: null, finish_reason: null }],
};
export const message = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: 'Hello!', annotations: [], logprobs: [] }],
};
export const response = {
  id: 'resp_1',
  object: 'response',
  created_at: 1_741_476_542,
  status: 'completed',
  error: null,
  incomplete_details: null,
  instructions: null,
  max_output_tokens: null,
  model: 'gpt-5',
  output: [
    { id: 'rs_1', type: 'reasoning', summary: [{ type: 'summary_text', text: 'A greeting.' }] },
    message,
    { id: 'fc_1', type: 'function_call', call_id: 'call_1', name: 'weather', arguments: '{}' },
  ],
  parallel_tool_calls: true,
  previous_response_id: null,
  reasoning: { effort: null, summary: null },
  store: true,
  temperature: 1,
  text: { format: { type: 'text' } },
  tool_choice: 'auto',
  tools: [{ type: 'function', name: 'weather', parameters: { type: 'object' }, strict: true }],
  top_p: 1,
  truncation: 'disabled',
  usage: {
    input_tokens: 36,
    input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
    output_tokens: 87,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 123,
  },
  metadata: {},
};
const place = { item_id: 'msg_1', output_index: 0, content_index: 0 };
export const delta = {
  type: 'response.output_text.delta',
  ...place,
  delta: 'Hel',
  logprobs: [],
  sequence_number: 4,
};
export const batch = {
  id: 'batch_1',
  object: 'batch',
  endpoint: '/v1/chat/completions',
  errors: null,
  input_file_id: 'file-1',
  completion_window: '24h',
  status: 'completed',
  output_file_id: 'file-2',
  created_at: 1_711_471_533,
  request_counts: { total: 100, completed: 95, failed: 5 },
  metadata: { team: 'night' },
};
export const file = {
  id: 'file-1',
  object: 'file',
  bytes: 120_000,
  created_at: 1_677_610_602,
  filename: 'in.jsonl',
  purpose: 'batch',
  status: 'processed',
};
export const embeddings = {
  object: 'list',
  model: 'text-embedding-3-small',
  data: [{ object: 'embedding', index: 0, embedding: [0.0023, -0.0093] }],
  usage: { prompt_tokens: 8, total_tokens: 8 },
};
export const models = {
  object: 'list',
  data: [{ id: 'gpt-5', object: 'model', created: 1, owned_by: 'openai' }],
};
export const error = {
  message: 'No such model.',
  type: 'invalid_request_error',
  param: null,
  code: 'model_not_found',
};

/** A copy with one place changed; `undefined` takes it away. */
export function changed(value: object, path: string, to: unknown): unknown {
  const copy = structuredClone(value);
  const steps = path.split('.');
  const last = steps.pop() as string;
  // biome-ignore lint/suspicious/noExplicitAny: the way through a sample is not worth a type
  const parent = steps.reduce((part: any, step) => part[step], copy);
  parent[last] = to;
  return copy;
}
