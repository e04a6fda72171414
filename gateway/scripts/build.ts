/** Makes the publishable JavaScript in `dist/`: the compiled source and the files it reads. `npm run types` checks types. */
import { execFileSync } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildAssets } from './build-assets.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
rmSync(`${root}/dist`, { recursive: true, force: true });
execFileSync('tsc', ['-p', 'tsconfig.build.json'], {
  cwd: root,
  stdio: 'inherit',
  shell: process.platform === 'win32',
});
for (const folder of ['migrations', 'functions']) {
  const from = `src/database/${folder}`;
  cpSync(`${root}/${from}`, `${root}/dist/${from}`, { recursive: true });
}
await buildAssets();
