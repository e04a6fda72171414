/** Where V8 writes its processor profiles, and what they say. */
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TargetName } from './flags.ts';
import { type CpuProfile, type ProfileWindow, partsTable } from './profile-parts.ts';
import type { Table } from './table.ts';

const root = fileURLToPath(new URL('./profiles', import.meta.url));

/** An empty folder for the profiles of a target: they outlive the run. */
export function profileFolder(name: TargetName): string {
  const folder = join(root, name.replace('/', '-'));
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** A table for each thread: the time per call by part of the work. For single functions open the files in a viewer. */
export function profileTables(
  folder: string,
  of: { name: string; windows: readonly ProfileWindow[] },
): Table[] {
  return (
    readdirSync(folder)
      .filter((name) => name.endsWith('.cpuprofile'))
      .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as CpuProfile)
      // The engine has a new thread after its migrations; the one before has nothing to do with calls.
      .filter(({ endTime }) => of.windows.some(({ fromUs }) => endTime > fromUs))
      .map((profile, i) =>
        partsTable(`${of.name}${i === 0 ? '' : `, another thread (${i})`}`, profile, of.windows),
      )
  );
}
