/** Builds the command `tollgate` as a package has it: it starts in a third of the time that its source takes. */
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle } from '../../scripts/bundle.ts';
import { sha256 } from '../../src/kernel/digest.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** Here the program finds the packages that it imports. */
const cache = join(root, 'node_modules/.cache');
const BUILDS_KEPT = 3;

/** The path of the command. Kept between runs, by what it is made of. */
export async function buildProgram(): Promise<string> {
  const name = `tollgate-program-${digestOfSources()}`;
  const folder = join(cache, name);
  if (!existsSync(folder)) {
    mkdirSync(cache, { recursive: true });
    for (const old of oldBuilds()) rmSync(join(cache, old), { recursive: true, force: true });
    const making = mkdtempSync(join(cache, 'making-'));
    await bundle(join(making, 'dist'));
    cpSync(join(root, 'bin'), join(making, 'bin'), { recursive: true });
    cpSync(join(root, 'package.json'), join(making, 'package.json'));
    for (const linked of ['demo', 'assets'])
      symlinkSync(join(root, linked), join(making, linked), 'junction');
    renameSync(making, folder);
  }
  return join(folder, 'bin/tollgate.js');
}

function digestOfSources(): string {
  const texts = ['bin', 'src', 'simulator', 'scripts/bundle.ts', 'package.json'].flatMap(filesIn).sort();
  return sha256(texts.map((name) => `${name}\n${readFileSync(join(root, name), 'utf8')}`).join('\n')).slice(
    0,
    16,
  );
}

function filesIn(name: string): string[] {
  if (name.includes('.')) return [name];
  const entries = readdirSync(join(root, name), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length));
}

/** All but the newest, which other runs may use. */
function oldBuilds(): string[] {
  const builds = readdirSync(cache).filter((name) => name.startsWith('tollgate-program-'));
  const madeAt = (name: string): number => statSync(join(cache, name)).mtimeMs;
  return builds.sort((a, b) => madeAt(b) - madeAt(a)).slice(BUILDS_KEPT);
}
