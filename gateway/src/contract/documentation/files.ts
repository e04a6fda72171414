import { cost, jsonLines, limitTooHigh, listOfOne } from './example-parts.ts';
import { ExampleGiven, ExampleResult } from './example-values.ts';
import type { TagDocs } from './operation-docs.ts';

const line = (id: string, prompt: string): object => ({
  custom_id: id,
  method: 'POST',
  url: '/v1/chat/completions',
  body: {
    model: 'sim-chat',
    service_tier: 'default',
    messages: [{ role: 'user', content: prompt }],
  },
});

const uploaded = jsonLines([
  line('order-1', 'Reply with exactly: one'),
  line('order-2', 'Reply with exactly: two'),
]);

const result = {
  id: 'batch_req_01kdm5z0c4m8r2v6x1b5n9s3kq',
  custom_id: 'order-1',
  response: {
    status_code: 200,
    request_id: 'req_01kdm5z0c4m8r2v6x1b5n9s3kq',
    body: {
      id: 'chatcmpl-7IGgflpQBi4t',
      object: 'chat.completion',
      created: 1794806032,
      model: 'sim-chat',
      choices: [{ index: 0, message: { role: 'assistant', content: 'one' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 6, completion_tokens: 29, total_tokens: 35 },
      estimated_cost: cost('0.0001525'),
    },
  },
  error: null,
};

const ID = 'The id of the file.';

const file = {
  id: 'file_01kdm5yb3e7h1k5p9t2w6z0d4g',
  object: 'file',
  filename: 'orders.jsonl',
  purpose: 'batch',
  bytes: 374,
  created_at: 1794806032,
  status: 'processed',
};

export const filesDocs: TagDocs = {
  tag: 'Files',
  description: 'The input and output files of batches.',
  operations: {
    createFile: {
      description:
        'Uploads a JSONL file in which every line is one request. All lines are checked while the file arrives; if some are invalid, nothing is stored and the answer lists them with their row numbers. A file is kept for 30 days. Without an `Idempotency-Key`, the same bytes within an hour are the same file.',
      examples: [
        {
          title: 'Two lines',
          form: {
            purpose: 'batch',
            file: { filename: 'orders.jsonl', type: 'application/jsonl', content: { text: uploaded } },
          },
          answer: file,
        },
      ],
      errors: {
        invalid_parameter: {
          detail: 'purpose must be "batch".',
          param: 'purpose',
          provoke: {
            form: {
              purpose: 'other',
              file: { filename: 'orders.jsonl', type: 'application/jsonl', content: { text: uploaded } },
            },
          },
        },
      },
    },
    getFile: {
      description: 'Uploads and results look alike; `purpose` says which it is.',
      path: { id: ID },
      examples: [
        {
          title: 'The results of a batch',
          path: { id: new ExampleResult('getBatch', 'output_file_id') },
          answer: {
            id: 'file_01kdm5z2r6j0m4q8v1y5b9f3hn',
            object: 'file',
            filename: 'batch_01kdm5yp4s8w2a6d0g4k8n2rtv_output.jsonl',
            purpose: 'batch_output',
            bytes: 1746,
            created_at: 1794806032,
            status: 'processed',
          },
        },
      ],
    },
    getFileContent: {
      description:
        'Sends the file as it is stored. The results of a batch have one line per request: `custom_id` names the request, `response` has its status and body.',
      path: { id: ID },
      examples: [
        {
          title: 'The results of a batch',
          path: { id: new ExampleResult('getBatch', 'output_file_id') },
          partial: true,
          answer: jsonLines([result]),
        },
      ],
    },
    listFiles: {
      description:
        'Lists the files of the key: uploads, and the results of its batches. Start with the newest, or with the oldest if `order` is `asc`.',
      examples: [
        {
          title: 'Uploads',
          query: { purpose: 'batch', limit: 2 },
          after: ['createFile'],
          answer: listOfOne(file),
        },
      ],
      errors: { invalid_parameter: limitTooHigh(10_000) },
    },
    deleteFile: {
      description:
        'Deletes an upload or a result at once. The input of a batch cannot be deleted before the batch is settled.',
      path: { id: ID },
      examples: [
        {
          title: 'Delete an upload',
          path: { id: new ExampleGiven('unused file', file.id) },
          answer: { id: file.id, object: 'file', deleted: true },
        },
      ],
      errors: {
        file_in_use: {
          detail:
            'The file is the input of batch_01kdm60a7f1j5m9q3v7y1c5ezr, which is not settled. Delete it when settlement_status of that batch is settled.',
          param: 'file_id',
        },
      },
    },
  },
};
