/** V8 must not allocate objects of calls in its old generation: docs/decisions/0063-calls-die-young.md. */
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { PATIENCE } from '../support/patience.ts';
import { SOURCE_PROGRAM } from '../support/program.ts';

/** With frequent garbage collections, each of which writes a line for each place in the code that it considers. */
const TRACED = ['--trace-pretenuring-statistics', '--gc-interval=5000'];

function pretenuringOf(plain: string): number {
  const env = { ...process.env, TOLLGATE_PLAIN: plain };
  const { stdout, status } = spawnSync(process.execPath, [...TRACED, SOURCE_PROGRAM, '--help'], {
    encoding: 'utf8',
    env,
  });
  expect(status).toBe(0);
  return stdout.split('\n').filter((line) => line.includes('pretenuring:')).length;
}

test(
  'the program never lets V8 choose objects for the old generation, unless TOLLGATE_PLAIN says so',
  PATIENCE,
  () => {
    expect(pretenuringOf('young-objects')).toBeGreaterThan(0);
    expect(pretenuringOf('')).toBe(0);
  },
);
