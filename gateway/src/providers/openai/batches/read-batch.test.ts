import { expect, test } from 'vitest';
import type { ProviderResult } from '../../batch-provider.ts';
import { ProviderMask } from '../../provider-mask.ts';
import { readOpenaiBatch, readOpenaiResultLine } from './read-batch.ts';

const mask = ProviderMask.knowing('sk-secret');
const batch = {
  id: 'batch_abc',
  object: 'batch',
  endpoint: '/v1/chat/completions',
  errors: null,
  input_file_id: 'file-1',
  completion_window: '24h',
  status: 'completed',
  output_file_id: 'file-2',
  error_file_id: null,
  created_at: 1_711_471_533,
  request_counts: { total: 100, completed: 95, failed: 5 },
  metadata: { tollgate_batch: 'batch_ours' },
};

test('a batch is read with our id, its counts and its files', () => {
  expect(readOpenaiBatch(batch, mask)).toEqual({
    batch: {
      id: 'batch_abc',
      state: 'completed',
      stopping: false,
      counts: { total: 100, ok: 95, failed: 5, unrun: null },
      errors: [],
      resultFiles: ['file-2'],
    },
    ourId: 'batch_ours',
    createdAt: 1_711_471_533_000,
  });
});

test.each([
  ['validating', 'running', false],
  ['in_progress', 'running', false],
  ['finalizing', 'running', false],
  ['cancelling', 'running', true],
  ['failed', 'failed', false],
  ['cancelled', 'cancelled', false],
  ['expired', 'expired', false],
])('%s is %s', (status, state, stopping) => {
  expect(readOpenaiBatch({ ...batch, status, metadata: null }, mask)?.batch).toMatchObject({
    state,
    stopping,
  });
});

test('anything else, or an unknown state, is not read as a batch', () => {
  for (const json of [null, [], {}, { ...batch, id: 7 }, { ...batch, status: 'melting' }]) {
    expect(readOpenaiBatch(json, mask)).toBeNull();
  }
});

test('a failed batch has the reason, without secrets of the provider', () => {
  const data = [{ code: 'token_limit_exceeded', message: 'Limit of org-abcdef123 at OpenAI', line: 3 }];
  const [error] = readOpenaiBatch({ ...batch, status: 'failed', errors: { data } }, mask)?.batch.errors ?? [];
  expect(error?.problem.code).toBe('rate_limit_exceeded');
  expect(error?.problem.detail).toBe('Limit of [id] at the provider');
  expect(error?.line).toBe(3);
});

const bodyOf = (result: ProviderResult | null): Buffer | null =>
  typeof result?.end === 'object' && 'body' in result.end ? result.end.body : null;
const lineOf = (fields: string): Buffer => Buffer.from(`{"id":"batch_req_1","custom_id":"b-1",${fields}}`);

test('the body of a successful result keeps its bytes', () => {
  const line = lineOf(
    '"response":{"status_code":200,"request_id":"r","body":{ "n": 1.10, "s":"\\u00e9" }},"error":null',
  );
  const result = readOpenaiResultLine(line, mask);
  expect(result?.customId).toBe('b-1');
  expect(String(bodyOf(result))).toBe('{ "n": 1.10, "s":"\\u00e9" }');
});

test('a failed result is a Problem by its status or code', () => {
  const refused = readOpenaiResultLine(
    lineOf(
      '"response":{"status_code":429,"request_id":"r","body":{"error":{"message":"too much"}}},"error":null',
    ),
    mask,
  );
  expect(refused?.end).toMatchObject({ problem: { code: 'rate_limit_exceeded' } });
  const late = readOpenaiResultLine(
    lineOf('"response":null,"error":{"code":"request_timeout","message":"slow"}'),
    mask,
  );
  expect(late?.end).toMatchObject({ problem: { code: 'upstream_timeout', detail: 'slow' } });
});

test.each(['batch_expired', 'batch_cancelled'])('%s: the line never ran', (code) => {
  expect(
    readOpenaiResultLine(lineOf(`"response":null,"error":{"code":"${code}","message":"…"}`), mask)?.end,
  ).toBe('unrun');
});

test('anything else is not read as a result', () => {
  const lines = [
    '',
    'x',
    '[]',
    '{}',
    '{"custom_id":"a"}',
    '{"custom_id":"a","response":{"status_code":200}}',
  ];
  for (const line of lines) expect(readOpenaiResultLine(Buffer.from(line), mask), line).toBeNull();
});
