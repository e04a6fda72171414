/** One charged call, as examples of different operations show it. */
export const CHARGED = 'req_01kdm5x8qv7t2n4c6f9w3hzrpa';

export const chargedCall = {
  endpoint: 'chat',
  model: 'sim-chat',
  requested_model: null,
  batch_id: null,
  streamed: false,
  outcome: 'completed',
  problem: null,
  finish_reason: 'stop',
  attempts: 1,
  attempt_log: null,
  started_at: '2026-11-16T14:13:24.413+09:00',
  first_byte_ms: null,
  duration_ms: 3,
  usage_source: 'provider',
  usage: {
    input_tokens: 7,
    cached_input_tokens: 0,
    cache_write_tokens: 0,
    output_tokens: 28,
    reasoning_tokens: 26,
    images: null,
    details: null,
  },
  price_version: 'demo-3',
  lines: [
    { component: 'input', count: 7, price: '2.5', amount: '0.0000175' },
    { component: 'output', count: 2, price: '10', amount: '0.00002' },
    { component: 'reasoning', count: 26, price: '10', amount: '0.00026' },
  ],
  cost: '0.0002975',
  provisional: null,
  charged_at: '2026-11-16T14:13:24.416+09:00',
  month: '2026-11',
  corrections: [],
};
