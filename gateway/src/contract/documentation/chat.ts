import { cost, eventStream } from './example-parts.ts';
import type { TagDocs } from './operation-docs.ts';

const question = [{ role: 'user', content: 'Reply with exactly: It works' }];
const chunk = {
  id: 'chatcmpl-k9naVGGf37Jw',
  object: 'chat.completion.chunk',
  created: 1794805973,
  model: 'sim-chat',
};
const usage = { prompt_tokens: 7, completion_tokens: 28, total_tokens: 35 };

export const chatDocs: TagDocs = {
  tag: 'Chat',
  description: 'The chat completions format of OpenAI, on every text model.',
  operations: {
    createChatCompletion: {
      description:
        'Continues a conversation. Works with the OpenAI client libraries; every text model answers, whichever provider it comes from. A field that the provider of the model has no equivalent for is rejected, not dropped.\n\nWith `"stream": true` the answer is a stream of server-sent events. Its last chunk has `estimated_cost`, and it ends with `data: [DONE]`.',
      examples: [
        {
          title: 'A question',
          body: { model: 'sim-chat', messages: question },
          partial: true,
          answer: {
            id: 'chatcmpl-CaTwNFNUOmZq',
            object: 'chat.completion',
            created: 1794805973,
            model: 'sim-chat',
            choices: [
              { index: 0, message: { role: 'assistant', content: 'It works' }, finish_reason: 'stop' },
            ],
            usage,
            estimated_cost: cost('0.0002975'),
          },
        },
        {
          title: 'A streamed answer',
          body: {
            model: 'sim-chat',
            messages: question,
            stream: true,
            stream_options: { include_usage: true },
          },
          partial: true,
          answer: eventStream([
            {
              ...chunk,
              choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }],
            },
            { ...chunk, choices: [{ index: 0, delta: { content: 'It works' }, finish_reason: null }] },
            {
              ...chunk,
              choices: [{ index: 0, delta: {}, finish_reason: 'stop' }],
              usage,
              estimated_cost: cost('0.0002975'),
            },
            '[DONE]',
          ]),
        },
      ],
    },
  },
};
