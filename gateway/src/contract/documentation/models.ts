import type { TagDocs } from './operation-docs.ts';

const model = {
  id: 'sim-chat',
  object: 'model',
  created: 1794804626,
  owned_by: 'tollgate',
  supports_batch: true,
  batch_requires: null,
  output_cap_field: 'max_completion_tokens',
  max_input_tokens: null,
  context_length: 128_000,
  max_output_tokens: null,
};

export const chatModelExample = {
  ...model,
  pricing: {
    currency: 'unit',
    per: '1000000_tokens',
    input: '2.5',
    output: '10',
    cached_input: '0.25',
    batch_input: '1.25',
    batch_output: '5',
    tools: { web_search: '10' },
  },
  endpoints: ['/v1/chat/completions', '/v1/responses', '/v1/messages'],
  capabilities: ['vision', 'tools', 'json_mode', 'json_schema', 'streaming'],
};

export const modelsDocs: TagDocs = {
  tag: 'Models',
  description: 'The models of a space, with their prices.',
  operations: {
    listModels: {
      description:
        'Lists the models that the key can call. Use `id` as the `model` of a call. The list stays available when the space has no units left. A request with the header `anthropic-version` gets the models of the messages format instead, in the shape that Anthropic clients read, with `limit`, `after_id` and `before_id`.',
      examples: [
        {
          title: 'Two models',
          answer: {
            object: 'list',
            data: [
              chatModelExample,
              {
                ...model,
                id: 'sim-video',
                supports_batch: false,
                batch_requires: null,
                output_cap_field: null,
                context_length: null,
                max_output_tokens: null,
                pricing: {
                  currency: 'unit',
                  per: 'second',
                  per_second: '0.1',
                  second_prices: [
                    { resolution: '1024p', price: '0.3', default: false },
                    { resolution: null, price: '0.1', default: true },
                  ],
                },
                endpoints: ['/v1/video/generations'],
                capabilities: [],
              },
            ],
          },
        },
      ],
    },
    getModel: {
      description:
        'Returns one model that the key can call, with its prices. A code with slashes may be sent as it is or encoded. With the header `anthropic-version`, the answer has the shape that Anthropic clients read.',
      path: { id: 'The code of the model.' },
      examples: [{ title: 'A text model', path: { id: 'sim-chat' }, answer: chatModelExample }],
    },
  },
};
