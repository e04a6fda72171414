/** V8 must not allocate objects of calls in its old generation: docs/decisions/0063-calls-die-young.md. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { PATIENCE } from '../support/patience.ts';
import { SOURCE_PROGRAM } from '../support/program.ts';

const main = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));
/** With frequent garbage collections, each of which writes a line for each place in the code that it considers. */
const TRACED = ['--trace-pretenuring-statistics', '--gc-interval=5000'];

function pretenuringOf(args: readonly string[]): number {
  const { stdout, status } = spawnSync(process.execPath, [...TRACED, ...args], { encoding: 'utf8' });
  expect(status).toBe(0);
  return stdout.split('\n').filter((line) => line.includes('pretenuring:')).length;
}

test(
  'the program never lets V8 choose objects for the old generation, which it does by default',
  PATIENCE,
  () => {
    const start = `const { main } = await import(${JSON.stringify(main)}); await main(['node', 'tollgate', '--help']);`;
    expect(pretenuringOf(['--input-type=module', '--eval', start])).toBeGreaterThan(0);
    expect(pretenuringOf([SOURCE_PROGRAM, '--help'])).toBe(0);
  },
);
