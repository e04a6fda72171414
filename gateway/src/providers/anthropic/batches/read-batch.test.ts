import { expect, test } from 'vitest';
import { ProviderMask } from '../../provider-mask.ts';
import { readAnthropicBatch, readAnthropicResultLine } from './read-batch.ts';

const mask = ProviderMask.knowing('sk-ant-secret');
const counts = { processing: 0, succeeded: 50, errored: 30, canceled: 0, expired: 0 };
const batch = {
  id: 'msgbatch_013Z',
  type: 'message_batch',
  processing_status: 'ended',
  request_counts: counts,
  created_at: '2026-08-20T18:37:24.100435Z',
};

test('a batch is read with its size, creation time and counts', () => {
  expect(readAnthropicBatch(batch)).toEqual({
    batch: {
      id: 'msgbatch_013Z',
      state: 'completed',
      stopping: false,
      counts: { total: 80, ok: 50, failed: 30, unrun: 0 },
      errors: [],
      resultFiles: [],
    },
    lines: 80,
    createdAt: Date.parse('2026-08-20T18:37:24.100Z'),
  });
});

test.each([
  ['in_progress', { ...counts, processing: 5 }, 'running', false],
  ['canceling', { ...counts, processing: 5 }, 'running', true],
  ['ended', { ...counts, canceled: 1 }, 'cancelled', false],
  ['ended', { ...counts, expired: 1, canceled: 1 }, 'expired', false],
])('%s with %j is %s', (processing_status, request_counts, state, stopping) => {
  expect(readAnthropicBatch({ ...batch, processing_status, request_counts })?.batch).toMatchObject({
    state,
    stopping,
  });
});

test('anything else is not read as a batch', () => {
  for (const json of [null, {}, { ...batch, request_counts: {} }, { ...batch, id: null }]) {
    expect(readAnthropicBatch(json)).toBeNull();
  }
});

const result = (json: string) =>
  readAnthropicResultLine(Buffer.from(`{"custom_id":"b-1","result":${json}}`), mask);

test('a message keeps its bytes, and an error becomes a Problem by its type', () => {
  const good = result('{"type":"succeeded","message":{"type": "message", "content":[]}}');
  const passed = typeof good?.end === 'object' && 'body' in good.end ? good.end.body : null;
  expect(String(passed)).toBe('{"type": "message", "content":[]}');
  const error = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
  const bad = result(JSON.stringify({ type: 'errored', error }));
  expect(bad?.end).toMatchObject({ problem: { code: 'upstream_unavailable' } });
  const invalid = {
    type: 'error',
    error: { type: 'invalid_request_error', message: 'max_tokens: too large' },
  };
  const refused = result(JSON.stringify({ type: 'errored', error: invalid }));
  expect(refused?.end).toMatchObject({ problem: { code: 'invalid_parameter', param: 'max_tokens' } });
});

test('cancelled and expired lines never ran; anything else is not a result', () => {
  expect(result('{"type":"canceled"}')?.end).toBe('unrun');
  expect(result('{"type":"expired"}')?.end).toBe('unrun');
  for (const json of ['{"type":"odd"}', '{"type":"succeeded"}', 'null', '{']) expect(result(json)).toBeNull();
});
