/**
 * What makes a test fail by chance on a busy machine: waiting for a time in place of a signal, giving up before PATIENCE,
 * and comparing how long something took. Where time is what is promised or what the test makes pass, the file says why here.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');

const RULES = {
  'waits for a time': /\bpause\(systemClock|\bsetTimeout\(|\bpg_sleep\(/,
  'gives up early': /\btimeout: [\d_]+\b|^\s*\}, [\d_]+0_000\);$/,
  'compares a duration': /(?:performance\.now\(\)|elapsedMs\(\)|[a-z]Ms\b|\bms\b)[^=]*\)\.toBeLessThan/,
  'takes a port that may be in use': /\.listen\(\d{2,}/,
} as const;
type Rule = keyof typeof RULES;

const EXCEPTIONS: Readonly<Record<Rule, Readonly<Record<string, string>>>> = {
  'waits for a time': {
    'test/batches/batches-cancelled.long.test.ts': 'batches are cancelled at different moments',
    'test/database/blobs.test.ts': 'a reader pauses for longer than a store may',
    'test/database/database-frozen-rounds.long.test.ts': 'the database answers for a while, then not',
    'test/database/database-frozen.long.test.ts': 'a statement takes long in the database',
    'test/faults/service-faults.long.test.ts': 'load goes on for the time of a fault',
    'test/kept-responses/keeping-stopped.long.test.ts': 'a process is stopped for a while under load',
    'test/money/limits-processes.long.test.ts': 'a caller tries again later',
    'test/serve/paused-process.long.test.ts': 'a process is paused for longer than its lease',
    'test/serve/rolling-restarts.long.test.ts': 'load goes on between restarts, and callers try again later',
  },
  'gives up early': {
    'src/tokens/byte-pairs.test.ts': 'quadratic time would take minutes; proportional time takes a second',
    'test/database/every-fault.long.test.ts': 'nothing depends on it: the next call follows, settled or not',
    'test/kept-responses/keeping-stopped.long.test.ts': 'more than PATIENCE',
    'test/money/rates-processes.long.test.ts': 'that it counts within two seconds is what is promised',
  },
  'compares a duration': {
    'test/access/revoked-work.test.ts': 'work ends soon after its key',
    'test/database/database-frozen-rounds.long.test.ts': 'callers get an answer within the deadline',
    'test/database/database-frozen.long.test.ts': 'callers get an answer within the deadline',
    'test/database/journal.test.ts': 'calls do not wait for a database that does not answer',
    'test/logs/logs-closed.test.ts': 'a stream ends long before its access is checked again',
    'test/money/frozen-commits.test.ts': 'another writer takes over long before the deadline',
    'test/money/hard-limits-killed.long.test.ts': 'units are free again soon after a process was killed',
    'test/money/limits-processes.long.test.ts': 'units are free again soon after a process was killed',
    'test/money/rates.test.ts': 'instants of a clock that the test moves',
    'test/routing/failing-routes.test.ts': 'callers do not wait for routes that fail',
    'test/serve/rolling-restarts.long.test.ts': 'a process ends within its time to drain',
    'test/serve/serve.test.ts': 'a process ends within its time to drain',
    'test/upstream/routing.test.ts': 'delays that are computed',
  },
  'takes a port that may be in use': {},
};

const files = ['test', 'src', 'simulator'].flatMap((folder) =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name.replaceAll(path.sep, '/')}`)
    .filter((name) => name.endsWith('.test.ts') && !name.startsWith('test/house/')),
);

/** Files with a line that breaks the rule. */
function breaking(rule: Rule): string[] {
  return files
    .filter((name) =>
      readFileSync(path.join(root, name), 'utf8')
        .split('\n')
        .some((line) => RULES[rule].test(line)),
    )
    .sort();
}

test.each(Object.keys(RULES) as Rule[])('no test %s, but for files that say why', (rule) => {
  expect(breaking(rule)).toEqual(Object.keys(EXCEPTIONS[rule]).sort());
});

test('what lowers the cost of passwords is called by tests only', () => {
  const callers = readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .filter((name) => readFileSync(path.join(root, 'src', name), 'utf8').includes('setHashCost'));
  expect(callers).toEqual([path.join('access', 'passwords.ts')]);
});
