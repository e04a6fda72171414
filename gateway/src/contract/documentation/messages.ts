import { cost, eventStream } from './example-parts.ts';
import type { TagDocs } from './operation-docs.ts';

const version = { 'vendor-version': '2023-06-01' };
const prompt = { model: 'sim-claude', messages: [{ role: 'user', content: 'Reply with exactly: It works' }] };
const usage = { input_tokens: 7, output_tokens: 2 };
const message = { id: 'msg_010sBjKTYb801u1K', type: 'message', role: 'assistant', model: 'sim-claude' };

export const messagesDocs: TagDocs = {
  tag: 'Messages',
  description: 'The messages format of Anthropic, on every text model.',
  operations: {
    createMessage: {
      description:
        'Continues a conversation. Works with the Anthropic client libraries: their base URL has no `/v1`.\n\nWith `"stream": true` the answer is a stream of events, of which `message_delta` has `estimated_cost`.',
      examples: [
        {
          title: 'A question',
          headers: version,
          body: { ...prompt, max_tokens: 100 },
          partial: true,
          answer: {
            ...message,
            content: [{ type: 'text', text: 'It works' }],
            stop_reason: 'end_turn',
            stop_sequence: null,
            usage,
            estimated_cost: cost('0.000051'),
          },
        },
        {
          title: 'A streamed answer',
          headers: version,
          body: { ...prompt, max_tokens: 100, stream: true },
          partial: true,
          answer: eventStream(
            [
              {
                type: 'message_start',
                message: {
                  ...message,
                  content: [],
                  stop_reason: null,
                  stop_sequence: null,
                  usage: { ...usage, output_tokens: 1 },
                },
              },
              { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
              {
                type: 'content_block_delta',
                index: 0,
                delta: { type: 'text_delta', text: 'It works' },
              },
              { type: 'content_block_stop', index: 0 },
              {
                type: 'message_delta',
                delta: { stop_reason: 'end_turn', stop_sequence: null },
                usage,
                estimated_cost: cost('0.000051'),
              },
              { type: 'message_stop' },
            ],
            { named: true },
          ),
        },
      ],
      errors: {
        invalid_parameter: {
          detail: 'max_tokens: Field required',
          param: 'max_tokens',
          provoke: { body: prompt },
        },
      },
    },
    countMessageTokens: {
      description: 'Counts what a prompt would use, without running it. Nothing is charged.',
      examples: [{ title: 'A question', headers: version, body: prompt, answer: { input_tokens: 7 } }],
      errors: {
        invalid_parameter: {
          detail: 'messages: Field required',
          param: 'messages',
          provoke: { body: { model: 'sim-claude' } },
        },
      },
    },
  },
};
