import { expect, test } from 'vitest';
import { Problem } from '../kernel/problem.ts';
import type { ProblemCode } from '../kernel/problem-codes.ts';
import { embeddingProblem } from './embedding-problem.ts';

/** As the providers say it. */
test.each<[ProblemCode, string, ProblemCode]>([
  [
    'invalid_parameter',
    "This model's maximum context length is 8192 tokens, however you requested 9000",
    'input_too_long',
  ],
  ['invalid_parameter', "Invalid 'input[3]': maximum input length is 8192 tokens.", 'input_too_long'],
  ['context_length_exceeded', 'too long', 'input_too_long'],
  [
    'context_length_exceeded',
    'The input token count exceeds the maximum number of tokens allowed',
    'input_too_long',
  ],
  [
    'invalid_parameter',
    "Invalid 'input': array too long. Expected an array with maximum length 2048",
    'batch_too_large',
  ],
  [
    'invalid_parameter',
    "Invalid 'input': maximum request size is 300000 tokens per request.",
    'batch_too_large',
  ],
  ['invalid_parameter', 'Requested 300001 tokens, max 300000 tokens per request', 'batch_too_large'],
  [
    'invalid_parameter',
    'BatchEmbedContentsRequest.requests: at most 100 requests can be in one batch',
    'batch_too_large',
  ],
  ['invalid_parameter', 'This model does not support specifying dimensions.', 'invalid_parameter'],
  ['rate_limit_exceeded', 'too many tokens per request', 'rate_limit_exceeded'],
])('%s: %s → %s', (code, detail, meant) => {
  expect(embeddingProblem(new Problem(code, { detail }))).toMatchObject({ code: meant, detail });
});

test('keeps the field that the provider named', () => {
  const said = new Problem('invalid_parameter', {
    detail: 'maximum input length is 8192',
    param: 'input[3]',
  });
  expect(embeddingProblem(said).param).toBe('input[3]');
});
