import { availableParallelism } from 'node:os';
import { expect, test } from 'vitest';
import { readSettings } from '../settings.ts';
import { readProcessCount } from './process-count.ts';

test.each([
  [undefined, 1],
  ['1', 1],
  ['4', 4],
  ['auto', availableParallelism()],
])('--processes %s is %i', (text, count) => expect(readProcessCount(text)).toBe(count));

test.each(['0', '-1', '1.5', '257', 'many', ''])('--processes %j is rejected', (text) =>
  expect(() => readProcessCount(text)).toThrow('a whole number from 1 to 256, or auto for one per core'),
);

const rolesOf = (role: string | undefined, url: string): string[] => {
  const config = { file: '/tollgate.yaml', demo: false, content: { providers: {}, models: {} } };
  return [...readSettings(role === undefined ? {} : { role }, { DATABASE_URL: url }, config).roles];
};

test.each([
  [undefined, ['http', 'worker', 'logs']],
  ['worker', ['worker']],
  ['logs, http', ['http', 'logs']],
])('--role %j with PostgreSQL is %j', (text, roles) =>
  expect(rolesOf(text, 'postgres://localhost/t')).toEqual(roles),
);

test('an unknown role, and a part of the roles on the embedded database, are rejected with the reason', () => {
  expect(() => rolesOf('http,cook', 'postgres://localhost/t')).toThrow(
    '--role has "cook". It must be one or more of http, worker, logs, separated by commas.',
  );
  expect(() => rolesOf('worker', '')).toThrow('--role worker needs PostgreSQL');
  expect(rolesOf('http,worker,logs', '')).toEqual(['http', 'worker', 'logs']);
});
