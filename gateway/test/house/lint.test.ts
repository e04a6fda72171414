/** What the linter finds, so that it is seen to bite. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

const SEED = `
declare const work: { go(): Promise<void>; maybe?: () => Promise<void> };
declare const on: (event: string, listener: () => void) => void;
export function mistakes(list: string[]): void {
  work.go();
  work.maybe?.();
  void work.go();
  work.go().then(() => 1);
  Promise.all([work.go()]);
  list.forEach(async () => await work.go());
  on('data', async () => await work.go());
}
export async function fine(): Promise<void> {
  await work.go();
  work.go().catch(() => undefined);
  on('data', () => {
    work.go().catch(() => undefined);
  });
}
`;

test('promises that nobody handles are found, and those that are handled are left alone', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-lint-'));
  try {
    copyFileSync(join(ROOT, '.oxlintrc.json'), join(folder, '.oxlintrc.json'));
    mkdirSync(join(folder, 'src'));
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: { strict: true, noEmit: true, target: 'es2022' }, include: ['src'] }),
    );
    writeFileSync(join(folder, 'src', 'seed.ts'), SEED);
    const { stdout } = spawnSync(
      join(ROOT, 'node_modules/.bin/oxlint'),
      ['--type-aware', '--format=unix', '.'],
      { cwd: folder, encoding: 'utf8' },
    );
    const found = [...stdout.matchAll(/seed\.ts:(\d+):.*\((no-[a-z-]+)\)/g)].map(
      ([, line, rule]) => `${line} ${rule}`,
    );
    const floating = [5, 6, 7, 8, 9].map((line) => `${line} no-floating-promises`);
    expect(found.toSorted()).toEqual(
      [...floating, '10 no-misused-promises', '11 no-misused-promises'].toSorted(),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
