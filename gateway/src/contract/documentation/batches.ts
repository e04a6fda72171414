import { limitTooHigh, listOfOne } from './example-parts.ts';
import { ExampleGiven, ExampleResult } from './example-values.ts';
import type { TagDocs } from './operation-docs.ts';

const submitted = {
  id: 'batch_01kdm5yp4s8w2a6d0g4k8n2rtv',
  object: 'batch',
  endpoint: '/v1/chat/completions',
  model: 'sim-chat',
  errors: null,
  input_file_id: 'file_01kdm5yb3e7h1k5p9t2w6z0d4g',
  completion_window: '24h',
  status: 'validating',
  output_file_id: null,
  error_file_id: null,
  created_at: 1794806032,
  in_progress_at: null,
  expires_at: 1794892432,
  finalizing_at: null,
  completed_at: null,
  failed_at: null,
  expired_at: null,
  cancelling_at: null,
  cancelled_at: null,
  request_counts: { total: 2, completed: 0, failed: 0 },
  metadata: { project: 'orders' },
  settlement_status: 'pending',
  settled_units: null,
  settlement_reason: null,
};

const settled = {
  ...submitted,
  status: 'completed',
  output_file_id: 'file_01kdm5z2r6j0m4q8v1y5b9f3hn',
  in_progress_at: 1794806032,
  finalizing_at: 1794806035,
  completed_at: 1794806035,
  request_counts: { total: 2, completed: 2, failed: 0 },
  settlement_status: 'settled',
  settled_units: '0.000285',
};

const ID = 'The id of the batch.';

export const batchesDocs: TagDocs = {
  tag: 'Batches',
  description: 'Many requests in one file, run within 24 hours at batch prices.',
  operations: {
    createBatch: {
      description:
        'Submits an uploaded file. Poll the batch until `settlement_status` is `settled`; its output and error files appear at the same moment as its cost.',
      examples: [
        {
          title: 'Submit a file',
          body: {
            input_file_id: new ExampleResult('createFile', 'id'),
            endpoint: '/v1/chat/completions',
            completion_window: '24h',
            metadata: { project: 'orders' },
          },
          answer: submitted,
        },
      ],
      errors: {
        file_not_found: {
          detail: 'There is no file "file_unknown" that this key can read.',
          param: 'input_file_id',
          provoke: {
            body: {
              input_file_id: 'file_unknown',
              endpoint: '/v1/chat/completions',
              completion_window: '24h',
            },
          },
        },
      },
    },
    getBatch: {
      description:
        'Shows two things that proceed separately: `status` is the work, `settlement_status` the charge. A batch whose cost is not known is `quarantined` until an operator has looked at it, and is not charged before.',
      path: { id: ID },
      examples: [
        {
          title: 'A settled batch',
          path: { id: new ExampleResult('createBatch', 'id') },
          until: { settlement_status: 'settled' },
          answer: settled,
        },
      ],
    },
    cancelBatch: {
      description:
        'Lines that have not begun do not run. Lines that were answered stay in the output file and are charged.',
      path: { id: ID },
      examples: [
        {
          title: 'Cancel a running batch',
          path: { id: new ExampleGiven('running batch', 'batch_01kdm60a7f1j5m9q3v7y1c5ezr') },
          answer: {
            ...submitted,
            id: 'batch_01kdm60a7f1j5m9q3v7y1c5ezr',
            status: 'cancelling',
            in_progress_at: 1794806100,
            cancelling_at: 1794806104,
            metadata: null,
            settlement_status: 'processing',
          },
        },
      ],
    },
    listBatches: {
      description: 'Lists the batches of the key, the newest first.',
      examples: [
        {
          title: 'The newest batches',
          query: { limit: 2 },
          after: ['getBatch'],
          answer: listOfOne(settled),
        },
      ],
      errors: { invalid_parameter: limitTooHigh(100) },
    },
  },
};
