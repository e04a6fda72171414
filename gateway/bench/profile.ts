/** Reads a V8 processor profile: which functions the time itself went to. */
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TargetName } from './flags.ts';
import { type CpuProfile, type ProfileWindow, partsTable } from './profile-parts.ts';
import type { Table } from './table.ts';

const SHOWN_MAX = 25;
const root = fileURLToPath(new URL('./profiles', import.meta.url));

/** An empty folder for the profiles of a target: they outlive the run. */
export function profileFolder(name: TargetName): string {
  const folder = join(root, name.replace('/', '-'));
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** Two tables for each thread: the time per call by part of the work, and by function. */
export function profileTables(
  folder: string,
  of: { name: string; calls: number; windows: readonly ProfileWindow[] },
): { parts: Table[]; functions: Table[] } {
  const profiles = readdirSync(folder)
    .filter((name) => name.endsWith('.cpuprofile'))
    .map((name) => join(folder, name))
    .map((file) => ({ file, profile: JSON.parse(readFileSync(file, 'utf8')) as CpuProfile }))
    // The engine has a new thread after its migrations; the one before has nothing to do with calls.
    .filter(({ profile }) => of.windows.some(({ fromUs }) => profile.endTime > fromUs));
  return {
    parts: profiles.map(({ profile }, i) =>
      partsTable(`${of.name}${i === 0 ? '' : `, another thread (${i})`}`, profile, of.windows),
    ),
    functions: profiles.map(({ file, profile }) => functionsTable(file, profile, of.calls)),
  };
}

function functionsTable(file: string, profile: CpuProfile, calls: number): Table {
  const times = selfTimes(profile);
  const total = times.reduce((sum, { us }) => sum + us, 0);
  return {
    title: `${file}\n  ${(total / calls).toFixed(1)} µs per call over ${calls} calls, start included`,
    head: ['function', 'µs/call', '%'],
    rows: times
      .slice(0, SHOWN_MAX)
      .map(({ place, us }) => [place, (us / calls).toFixed(2), ((100 * us) / total).toFixed(1)]),
    notes: ['Sampled by the clock: on a busy machine the shares are right, the microseconds are too many.'],
  };
}

function selfTimes({ nodes, samples, timeDeltas }: CpuProfile): Array<{ place: string; us: number }> {
  const places = new Map(nodes.map(({ id, callFrame }) => [id, placeOf(callFrame)]));
  const times = new Map<string, number>();
  samples.forEach((id, i) => {
    const place = places.get(id) ?? '';
    if (place !== '(idle)') times.set(place, (times.get(place) ?? 0) + Math.max(0, timeDeltas[i] ?? 0));
  });
  return [...times].map(([place, us]) => ({ place, us })).sort((a, b) => b.us - a.us);
}

function placeOf({ functionName, url, lineNumber }: CpuProfile['nodes'][number]['callFrame']): string {
  if (url === '') return functionName === '' ? '(anonymous)' : functionName;
  const short = url.replace(/^file:\/\//, '').replace(/^.*\/(node_modules|gateway)\//, '');
  return `${functionName || '(anonymous)'} ${short}:${lineNumber + 1}`;
}
