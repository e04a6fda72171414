import { expect, test } from 'vitest';
import { verifyResults } from './verify-results.ts';

const seen = { ok: 3, failed: 1, unrun: 0, unreadable: 0 };
const counts = { total: 4, ok: 3, failed: 1, unrun: 0 };

test('results that agree with the counts are accepted, whether or not lines that never ran count as failed', () => {
  expect(verifyResults(seen, { sent: 4, counts, completed: true })).toBeNull();
  expect(verifyResults(seen, { sent: 4, counts: null, completed: true })).toBeNull();
  const stopped = { ...seen, unrun: 2 };
  for (const failed of [1, 3]) {
    const reported = { total: 6, ok: 3, failed, unrun: null };
    expect(verifyResults(stopped, { sent: 6, counts: reported, completed: false })).toBeNull();
  }
});

test.each([
  [{ ...seen, unreadable: 2 }, counts, true, /2 lines of the provider's results cannot be read/],
  [seen, { ...counts, total: 5 }, true, /counts 5 lines where 4 were sent/],
  [{ ...seen, ok: 2 }, counts, true, /have 3 of 4 lines/],
  [{ ...seen, ok: 2 }, counts, false, /counts 3 lines that succeeded, its results have 2/],
  [{ ...seen, failed: 0, unrun: 1 }, counts, false, /counts 1 lines that failed, its results have 0/],
  [seen, { ...counts, failed: 2, unrun: null }, true, /counts 2 lines that failed, its results have 1/],
])(
  'results %j against counts %j (completed: %j) are rejected with the reason',
  (results, reported, completed, reason) => {
    expect(verifyResults(results, { sent: 4, counts: reported, completed })).toMatch(reason);
  },
);
