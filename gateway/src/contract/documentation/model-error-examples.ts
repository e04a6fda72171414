/** Examples of the errors of model calls, files and batches. */
import type { ProblemCode } from '../../kernel/problem-codes.ts';
import { ExampleResult } from './example-values.ts';
import type { ErrorExample } from './operation-docs.ts';

const messages = [{ role: 'user', content: 'Hello' }];
const tool = { type: 'function', function: { name: 'get_weather' } };
const picture = { type: 'image_url', image_url: { url: 'https://example.com/kite.png' } };

export const modelErrorExamples: Readonly<Partial<Record<ProblemCode, ErrorExample>>> = {
  model_not_found: {
    detail: 'There is no model "gpt-0" in this space. GET /v1/models lists those you can use.',
    param: 'model',
    provoke: { to: 'createChatCompletion', body: { model: 'gpt-0', messages } },
  },
  responses_not_supported: {
    detail: 'The model sim-no-responses does not support /v1/responses.',
    param: 'model',
    provoke: { to: 'createResponse', body: { model: 'sim-no-responses', input: 'Hello' } },
  },
  tool_format_invalid: {
    detail: 'tools[0].type must be one of "function", "custom".',
    param: 'tools[0].type',
    provoke: { to: 'createChatCompletion', body: { model: 'sim-chat', messages, tools: [{ type: 'web' }] } },
  },
  tools_not_supported: {
    detail: 'sim-image-chat does not support tools.',
    param: 'tools',
    provoke: { to: 'createChatCompletion', body: { model: 'sim-image-chat', messages, tools: [tool] } },
  },
  vision_not_supported: {
    detail: 'sim-text-only does not support images.',
    param: 'messages',
    provoke: {
      to: 'createChatCompletion',
      body: { model: 'sim-text-only', messages: [{ role: 'user', content: [picture] }] },
    },
  },
  streaming_not_supported: {
    detail: 'sim-chat does not support streaming; remove "stream".',
    param: 'stream',
  },
  response_format_not_supported: {
    detail: 'sim-no-json does not support the response format json_object.',
    param: 'response_format',
    provoke: {
      to: 'createChatCompletion',
      body: { model: 'sim-no-json', messages, response_format: { type: 'json_object' } },
    },
  },
  context_length_exceeded: {
    detail:
      'The prompt is too long for the maximum context length of the model: about 1 tokens and 5000 of output, sim-small-context has 1000.',
    param: 'messages',
    provoke: {
      to: 'createChatCompletion',
      body: { model: 'sim-small-context', messages, max_tokens: 5_000 },
    },
  },
  input_too_long: {
    detail: 'input has about 9000 tokens; sim-embed accepts at most 8191 in one input.',
    param: 'input',
  },
  batch_too_large: {
    detail: 'input has 2049 items; at most 2048 are accepted.',
    param: 'input',
    provoke: {
      to: 'createEmbedding',
      body: { model: 'sim-embed', input: Array.from({ length: 2_049 }, () => 'a') },
    },
  },
  content_blocked: { detail: 'The provider refused the prompt under its content policy.' },
  price_missing: {
    detail:
      'service_tier asks for something that has no price for the model sim-chat (tier:priority), so the request was not sent. Change or remove it, or ask your operator to add the price.',
    param: 'service_tier',
    provoke: {
      to: 'createChatCompletion',
      body: { model: 'sim-chat', service_tier: 'priority', messages },
    },
  },
  insufficient_units: {
    detail:
      'The space demo has no units left and may not use overage, or an operator blocked it. Ask its administrator to add units.',
  },
  policy_limit_exceeded: {
    detail:
      'The monthly limit of this key is reached: 20.01 of 20 units are spent. The limit is reset at 2026-12-01T00:00:00+09:00.',
  },
  rate_limit_exceeded: {
    detail: 'The provider of this model has reached its rate limit. Retry later.',
    provoke: { to: 'createChatCompletion', body: { model: 'sim-fault-error-429', messages } },
  },
  upstream_error: {
    detail: 'The model provider answered with an error.',
    provoke: { to: 'createChatCompletion', body: { model: 'sim-fault-error-500', messages } },
  },
  upstream_unavailable: { detail: 'The provider of this model is overloaded. Retry later.' },
  upstream_timeout: { detail: 'The model provider did not answer in time.' },
  invalid_line: {
    detail: 'Row 1, invalid_json: The line is not well-formed JSON.',
    param: 'file',
    rows: [{ row: 1, reason: 'invalid_json', field: null }],
    provoke: {
      to: 'createFile',
      form: {
        purpose: 'batch',
        file: { filename: 'orders.jsonl', type: 'application/jsonl', content: { text: 'Hello\n' } },
      },
    },
  },
  file_too_large: {
    detail: 'The file is larger than 200000000 bytes; split it into several.',
    param: 'file',
  },
  endpoint_mismatch: {
    detail: 'The lines of the file are for /v1/chat/completions; submit it with that endpoint.',
    param: 'endpoint',
    provoke: {
      to: 'createBatch',
      body: {
        input_file_id: new ExampleResult('createFile', 'id'),
        endpoint: '/v1/responses',
        completion_window: '24h',
      },
    },
  },
  model_not_batchable: {
    detail:
      'The model sim-no-batch of the file does not support batches; GET /v1/models shows which models do (supports_batch).',
    param: 'input_file_id',
  },
  OVERAGE_NOT_ALLOWED: {
    detail:
      'The cost of a batch is known only when it is done, so the space must permit overage; buying units is not enough. An administrator can permit it.',
  },
  batch_not_cancellable: {
    detail: 'The batch is completed: there is nothing left to cancel.',
    provoke: { to: 'cancelBatch', path: { id: new ExampleResult('getBatch', 'id') } },
  },
  job_not_cancellable: {
    detail: 'The job is succeeded: there is nothing left to cancel.',
    provoke: { to: 'cancelJob', path: { id: new ExampleResult('getJob', 'id') } },
  },
  REFERENCE_UPLOAD_REJECTED: {
    detail:
      'The part file has the Content-Type "text/plain". It must be one of image/png, image/jpeg, image/jpg, image/webp, image/gif, image/bmp, image/tiff, image/heic, image/heif, video/mp4, video/quicktime, audio/wav, audio/x-wav, audio/wave, audio/mpeg, audio/mp3. With curl: -F "file=@picture.png;type=image/png".',
    param: 'file',
    provoke: {
      to: 'createReference',
      form: { file: { filename: 'note.txt', type: 'text/plain', content: { text: 'Hello' } } },
    },
  },
  REFERENCE_TOO_LARGE: {
    detail: 'The file is larger than 200 MiB, the limit for every reference. Send a smaller file.',
    param: 'file',
  },
  REFERENCE_UPLOAD_UNAVAILABLE: { detail: 'References cannot be kept at the moment.' },
};
