import { cost, eventStream } from './example-parts.ts';
import { ExampleResult } from './example-values.ts';
import type { TagDocs } from './operation-docs.ts';

const id = 'resp_01kdm5x8qv7t2n4c6f9w3hzrpa';
const message = {
  type: 'message',
  id: 'msg_6T01BLT86Svfz3Rd',
  status: 'completed',
  role: 'assistant',
  content: [{ type: 'output_text', text: 'It works', annotations: [] }],
};
const usage = { input_tokens: 7, output_tokens: 28, total_tokens: 35 };
const response = {
  id,
  object: 'response',
  created_at: 1794805973,
  status: 'completed',
  model: 'sim-chat',
  output: [message],
  error: null,
  incomplete_details: null,
  usage,
  estimated_cost: cost('0.0002975'),
};
const started = { ...response, status: 'in_progress', output: [], usage: null, estimated_cost: undefined };
const place = { item_id: message.id, output_index: 1, content_index: 0 };

export const responsesDocs: TagDocs = {
  tag: 'Responses',
  description: 'The responses format of OpenAI, on every text model.',
  operations: {
    createResponse: {
      description:
        'Answers a prompt or continues a conversation. The response is stored for 30 days unless `store` is false, so that a later call can continue it with `previous_response_id`.\n\nWith `"stream": true` the answer is a stream of events, of which the last one, `response.completed`, has `estimated_cost`.',
      examples: [
        {
          title: 'A prompt',
          body: { model: 'sim-chat', input: 'Reply with exactly: It works' },
          partial: true,
          answer: response,
        },
        {
          title: 'Continue a conversation',
          body: {
            model: 'sim-chat',
            input: 'Reply with exactly: It works',
            previous_response_id: new ExampleResult('createResponse', 'id'),
          },
          partial: true,
          answer: { ...response, previous_response_id: id },
        },
        {
          title: 'A streamed answer',
          body: { model: 'sim-chat', input: 'Reply with exactly: It works', stream: true },
          partial: true,
          answer: eventStream(
            [
              { type: 'response.created', sequence_number: 0, response: started },
              {
                type: 'response.output_text.delta',
                sequence_number: 6,
                ...place,
                delta: 'It works',
              },
              { type: 'response.output_text.done', sequence_number: 8, ...place, text: 'It works' },
              { type: 'response.completed', sequence_number: 11, response },
            ],
            { named: true },
          ),
        },
      ],
    },
  },
};
