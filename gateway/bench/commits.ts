/**
 * Measures the commit path alone: `npm run bench:commits`. Recorders of several processes record calls of several
 * spaces on a PostgreSQL of the run. `--write` stores the points for `commit-model.ts`, and what follows from them goes
 * into docs/scaling.md with `npm run bench:scale -- --write`.
 */
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { isoOf, systemClock } from '../src/kernel/time.ts';
import { CommitBench } from './commit-bench.ts';
import { type CommitPoint, loads, type MeasuredCommits } from './commit-points.ts';
import { startDatabase } from './database.ts';
import { syncMs } from './disk.ts';
import { machineText } from './method.ts';
import { Stage } from './stage.ts';

const { values } = parseArgs({
  options: { write: { type: 'boolean', default: false }, seconds: { type: 'string', default: '3' } },
});
const say = (line: string): void => void process.stderr.write(`  ${line}\n`);
const stage = new Stage();
try {
  const database = await startDatabase(stage);
  if (database === null) throw new Error('PostgreSQL is not installed');
  const about = {
    machine: machineText({ nginx: null, postgres: database.version, syncMs: syncMs(stage.folder) }),
    date: isoOf(systemClock.now()).slice(0, 10),
    cores: cpus().length,
    syncUs: Math.round(syncMs(stage.folder) * 1_000),
  };
  const points: CommitPoint[] = [];
  const bench = await CommitBench.open(database, stage);
  for (const load of loads) {
    const point = await bench.measure(load, Number(values.seconds) * 1_000);
    points.push(point);
    say(JSON.stringify(point));
  }
  const measured: MeasuredCommits = {
    ...about,
    storedBytesPerCall: await bench.storedBytesPerCall(),
    points,
  };
  await bench.close();
  if (values.write) {
    const file = fileURLToPath(new URL('./commit-points.json', import.meta.url));
    writeFileSync(file, `${JSON.stringify(measured, null, 2)}\n`);
    say(`written to ${file}`);
  }
} finally {
  await stage.stop();
}
