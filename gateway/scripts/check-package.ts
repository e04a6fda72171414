/** Runs before `npm pack`: a package without its built program, or with an old one, must not be published. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const BUILT = [
  'dist/src/cli/main.js',
  'dist/src/database/migrations',
  'assets/console/index.html',
  'assets/console/docs-page.js',
  'LICENSE',
];
const PROGRAM = 'dist/src/cli/main.js';
const SOURCES = ['src', 'simulator'];

function findTrouble(): string | null {
  const missing = BUILT.filter((name) => !existsSync(join(root, name)));
  if (missing.length > 0) return `${missing.join(', ')} ${missing.length > 1 ? 'are' : 'is'} missing`;
  const builtMs = statSync(join(root, PROGRAM)).mtimeMs;
  const newer = SOURCES.flatMap(filesIn).find((name) => statSync(join(root, name)).mtimeMs > builtMs);
  return newer === undefined ? null : `${newer} was changed after the build`;
}

function filesIn(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length));
}

const trouble = findTrouble();
if (trouble !== null) {
  process.stderr.write(`The package cannot be made: ${trouble}. Run "npm run build" first.\n`);
  process.exitCode = 1;
}
