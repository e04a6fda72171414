/** Reads the version of the package. */
import { readFileSync } from 'node:fs';

/** The version of the package, in the source and in the build. */
export const version: string = readVersion();

function readVersion(): string {
  for (const up of ['../../', '../../../']) {
    try {
      const text = readFileSync(new URL(`${up}package.json`, import.meta.url), 'utf8');
      const { name, version: found } = JSON.parse(text) as { name: string; version: string };
      if (name === 'tollgate') return found;
    } catch {
      // Not here: built code is one folder deeper.
    }
  }
  return 'unknown';
}
