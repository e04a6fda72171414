/**
 * Builds what the gateway serves to browsers into its assets, unless what is there is newer than its sources: the
 * console, and the script of the API's pages.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

export function buildConsole(): void {
  const built = join(root, 'gateway/assets/console/index.html');
  const sources = readdirSync(join(root, 'console'), { recursive: true, encoding: 'utf8' })
    .filter((name) => !name.startsWith('node_modules'))
    .map((name) => statSync(join(root, 'console', name)).mtimeMs);
  if (existsSync(built) && statSync(built).mtimeMs >= Math.max(...sources)) return;
  execFileSync('npm', ['run', 'build', '-w', 'console'], {
    cwd: root,
    stdio: 'ignore',
    // A test runner sets another one, with which React would be built for development: slower and larger.
    env: { ...process.env, NODE_ENV: 'production' },
    shell: process.platform === 'win32',
  });
}

if (import.meta.main) buildConsole();
