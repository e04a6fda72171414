import { ExampleGiven, ExampleResult } from '../example-values.ts';
import type { TagDocs } from '../operation-docs.ts';
import { demo, LAST_PAGE, OWNER } from './places.ts';

const UNKNOWN = `batch_${'0'.repeat(26)}`;

const settled = {
  id: 'batch_01kdm5yp4s8w2a6d0g4k8n2rtv',
  space: 'demo',
  model: 'sim-chat',
  endpoint: '/v1/chat/completions',
  owner: OWNER,
  key: 'demo',
  status: 'completed',
  total: 2,
  completed: 2,
  failed: 0,
  settlement: 'settled',
  reason: null,
  units: '0.000285',
  output_file_id: 'file_01kdm5z2r6j0m4q8v1y5b9f3hn',
  error_file_id: null,
  input_file_id: 'file_01kdm5yb3e7h1k5p9t2w6z0d4g',
  created_at: '2026-11-16T14:13:52+09:00',
  ended_at: '2026-11-16T14:13:55+09:00',
  settled_at: '2026-11-16T14:13:55+09:00',
  expires_at: '2026-11-17T14:13:52+09:00',
};

const quarantined = {
  ...settled,
  id: 'batch_01kdm6h8s2v6y0c4f8k2n6q0tw',
  model: 'sim-chat-classic',
  settlement: 'quarantined',
  reason: '2 of 2 lines that succeeded have no known usage or price',
  units: null,
  output_file_id: null,
  settled_at: null,
};

/** A provider reported no usage, so that its cost is unknown. */
const found = new ExampleGiven('quarantined batch', quarantined.id);

export const batchAdminDocs: TagDocs = {
  tag: 'Batches and settlement',
  description: 'The batches of all members, how they were charged, and what is quarantined.',
  operations: {
    'batches.list': {
      description: 'A member sees their own batches.',
      examples: [
        {
          title: 'Settled batches',
          path: demo,
          query: { settlement: 'settled' },
          after: ['getBatch'],
          answer: { data: [settled], ...LAST_PAGE },
        },
      ],
    },
    'batches.get': {
      description:
        '`status` is the work and `settlement` the charge. Administrators can download the results with `GET /api/console/files/{id}/content`. A member sees their own batches.',
      examples: [{ title: 'A quarantined batch', path: { ...demo, batch: found }, answer: quarantined }],
      errors: {
        batch_not_found: {
          detail: `There is no batch ${UNKNOWN} in demo.`,
          param: 'batch',
          provoke: { path: { ...demo, batch: UNKNOWN } },
        },
      },
    },
    'quarantine.list': {
      description:
        'A batch is quarantined if its results are incomplete or their cost is unknown; `reason` says which. It is not charged meanwhile.',
      examples: [
        {
          title: 'One batch',
          after: ['batches.get'],
          answer: { data: [quarantined], ...LAST_PAGE },
        },
      ],
    },
    'batches.requeue': {
      description:
        'Reads the results and settles the batch again, for example after a price was added. It is quarantined again if nothing has changed.',
      examples: [
        {
          title: 'Try again',
          path: { batch: found },
          after: ['quarantine.list'],
          answer: { id: quarantined.id, settlement: 'queued' },
        },
      ],
      errors: {
        batch_not_found: {
          detail: `There is no batch ${UNKNOWN}.`,
          param: 'batch',
          provoke: { path: { batch: UNKNOWN } },
        },
        conflict: {
          detail: `The settlement of ${settled.id} is settled; only a quarantined settlement can be queued again.`,
          provoke: { path: { batch: new ExampleResult('getBatch', 'id') } },
        },
      },
    },
  },
};
