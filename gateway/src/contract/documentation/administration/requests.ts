import { CHARGED, chargedCall } from '../charged-call.ts';
import { ExampleGiven } from '../example-values.ts';
import type { TagDocs } from '../operation-docs.ts';
import { demo, LAST_PAGE, OWNER } from './places.ts';

const FAILED = 'req_01kdm6g4m8p2t6w0a4d8h2k6nr';
const UNKNOWN = `req_${'0'.repeat(26)}`;

const owner = { key: 'demo', member: OWNER };

const completedRequest = {
  id: CHARGED,
  started_at: '2026-11-16T14:13:24+09:00',
  status: 'completed',
  problem: null,
  endpoint: 'chat',
  model: 'sim-chat',
  ...owner,
  streamed: false,
  first_byte_ms: null,
  duration_ms: 3,
  input_tokens: 7,
  output_tokens: 28,
  cost: '0.0002975',
  corrected: false,
  attempts: 1,
};

export const failedRequest = {
  ...completedRequest,
  id: FAILED,
  started_at: '2026-11-16T14:24:51+09:00',
  status: 'failed',
  problem: 'upstream_error',
  model: 'sim-fault-error-500',
  duration_ms: 284,
  input_tokens: null,
  output_tokens: null,
  cost: null,
  attempts: 3,
};

const charged = {
  ref: CHARGED,
  space: 'demo',
  ...owner,
  key_hint: 'sk_…apvV',
  refusal: null,
  call: {
    ...chargedCall,
    route: 'simulator/sim-chat',
    journal_entry: 13,
  },
};

const failed = {
  ...charged,
  ref: FAILED,
  refusal: {
    at: '2026-11-16T14:24:51.010+09:00',
    endpoint: 'POST /v1/chat/completions',
    status: 502,
    type: 'upstream_error',
    detail: 'The model provider answered with an error.',
    param: null,
    facts: {
      provider: 'simulator',
      route: 'sim-fault-error-500/0',
      model: 'sim-fault-error-500',
      upstream_model: 'sim-fault-error-500',
      attempts: 3,
      provider_status: 500,
      provider_said: 'The simulator failed as asked.',
    },
  },
  call: {
    ...charged.call,
    model: 'sim-fault-error-500',
    route: 'simulator/sim-fault-error-500',
    outcome: 'failed',
    problem: 'upstream_error',
    finish_reason: null,
    attempts: 3,
    attempt_log: [
      { index: 1, status: 500, outcome: 'upstream_error', duration_ms: 2, route: 'sim-fault-error-500/0' },
      { index: 2, status: 500, outcome: 'upstream_error', duration_ms: 2, route: 'sim-fault-error-500/0' },
      { index: 3, status: 500, outcome: 'upstream_error', duration_ms: 1, route: 'sim-fault-error-500/0' },
    ],
    started_at: '2026-11-16T14:24:51.010+09:00',
    duration_ms: 284,
    usage_source: 'none',
    usage: {
      input_tokens: null,
      cached_input_tokens: null,
      cache_write_tokens: null,
      output_tokens: null,
      reasoning_tokens: null,
      images: null,
      details: null,
    },
    price_version: null,
    lines: [],
    cost: null,
    provisional: null,
    charged_at: '2026-11-16T14:24:51.294+09:00',
    journal_entry: null,
  },
};

export const requestsDocs: TagDocs = {
  tag: 'Requests',
  description: 'Every model call and every rejected request, and why it ended as it did.',
  operations: {
    'requests.list': {
      description: 'Calls and rejected requests together. A member sees those of their own keys.',
      examples: [
        {
          title: 'Completed chat calls',
          path: demo,
          query: { status: 'completed', endpoint: 'chat' },
          after: ['why'],
          answer: { data: [completedRequest], ...LAST_PAGE },
        },
      ],
    },
    'requests.get': {
      description:
        '`call` is the receipt: the usage, the price of each component, and later corrections. `refusal` is the error that was answered, with the limit and its numbers. Only operators see `route`, and in `facts` what the provider answered. A member sees the requests of their own keys.',
      examples: [
        {
          title: 'A failed call',
          path: { ...demo, request: new ExampleGiven('failed request id', FAILED) },
          answer: failed,
        },
      ],
    },
    why: {
      description:
        'Takes the `x-request-id` of an answer or the `error_ref` of an error, and finds it in every space that you can see. A member sees the requests of their own keys.',
      examples: [
        {
          title: 'A charged call',
          path: { ref: new ExampleGiven('request id', CHARGED) },
          answer: charged,
        },
      ],
      errors: {
        not_found: {
          detail: `There is no record of ${UNKNOWN}. Rejected requests are kept for a limited time (30 days by default), and under load only a sample of them is kept: look in the log of the gateway.`,
          param: 'ref',
          provoke: { path: { ref: UNKNOWN } },
        },
      },
    },
  },
};
