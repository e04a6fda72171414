import { describe, expect, it } from 'vitest';
import { LeaseLost } from './lease-lost.ts';
import { asProblem, Problem } from './problem.ts';
import { allProblemCodes, problemCodeEntry } from './problem-codes.ts';

describe('problems', () => {
  it.each(allProblemCodes)('%s has the status and the text of the table', (code) => {
    const problem = new Problem(code);
    const entry = problemCodeEntry(code);
    expect(problem.status).toBe(entry.status);
    expect(problem.detail).toBe(entry.text);
    expect(problem).toMatchObject({ name: 'Problem', code, param: null, retryAfterMs: null });
    expect(problem).toBeInstanceOf(Error);
  });

  it('every entry of the table is an error status with a sentence, under a code of words in one case', () => {
    for (const code of allProblemCodes) {
      const { status, text } = problemCodeEntry(code);
      expect(code).toMatch(/^(?:[a-z]+(?:_[a-z]+)*|[A-Z]+(?:_[A-Z]+)*)$/);
      expect(status).toBeGreaterThanOrEqual(400);
      expect(status).toBeLessThan(600);
      expect(text).toMatch(/^[A-Z].*\.$/);
    }
  });

  it('only statuses that may pass with time are marked to be sent again', () => {
    for (const code of allProblemCodes) {
      const { status, retry } = problemCodeEntry(code);
      if (retry) expect([408, 409, 429, 502, 503, 504]).toContain(status);
    }
  });

  it('a lost lease is answered as a request to send again, not as an unavailable database', () => {
    const problem = asProblem(new LeaseLost('blob x'));
    expect(problem).toMatchObject({ code: 'service_unavailable', status: 503, retryAfterMs: 1_000 });
    expect(problem.detail).toContain('send it again');
  });

  it('what the thrower says goes before the text of the table', () => {
    const problem = new Problem('invalid_parameter', { detail: 'Too many.', param: 'n', retryAfterMs: 5 });
    expect(problem).toMatchObject({ message: 'Too many.', detail: 'Too many.', param: 'n', retryAfterMs: 5 });
  });

  it('the cause is kept for the log and is in nothing that is sent', () => {
    const cause = new Error('password=canary');
    const problem = new Problem('internal_error', { cause });
    expect(problem.cause).toBe(cause);
    expect(problem.detail).not.toContain('canary');
    expect(problem.message).not.toContain('canary');
    expect(JSON.stringify(problem)).not.toContain('canary');
  });

  it('a problem stays the very same problem', () => {
    const problem = new Problem('model_not_found');
    expect(asProblem(problem)).toBe(problem);
  });

  it.each([
    [new TypeError('canary')],
    ['canary'],
    [undefined],
    [null],
    [{ code: 'model_not_found', status: 404 }],
  ])('anything else thrown (%o) is an internal error that tells nothing of it', (thrown) => {
    const problem = asProblem(thrown);
    expect(problem.code).toBe('internal_error');
    expect(problem.status).toBe(500);
    expect(problem.detail).toBe(problemCodeEntry('internal_error').text);
    expect(problem.cause).toBe(thrown);
  });
});
