/**
 * What one process holds: at rest, with many slow streams, with large images, and after each: `npm run bench:memory`.
 * The machine need not be quiet. `--write` puts the tables into docs/performance.md.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { isoOf, systemClock } from '../src/kernel/time.ts';
import { startDatabase } from './database.ts';
import { syncMs } from './disk.ts';
import { readFlags } from './flags.ts';
import { makeImagesAtOnce } from './images.ts';
import { Measurement } from './measure.ts';
import { MemoryWatch, memoryTables, type Phase } from './memory-watch.ts';
import { machineText } from './method.ts';
import { makePlan } from './plan.ts';
import { Stage } from './stage.ts';
import { startTargets } from './start-targets.ts';
import { markdownTable, printTable } from './table.ts';
import { startOwnServer } from './target.ts';
import { writeDocs } from './write-docs.ts';

/** Between two looks at a process that is idle. */
const REST_MS = 60_000;

const { values } = parseArgs({
  options: {
    write: { type: 'boolean', default: false },
    targets: { type: 'string', default: 'gateway/postgres,gateway/embedded' },
  },
});
const say = (line: string): void => void process.stderr.write(`  ${line}\n`);
const stage = new Stage();
try {
  const flags = readFlags(['--only', 'memory', '--targets', values.targets]);
  const plan = makePlan(flags);
  const database = flags.targets.includes('gateway/postgres') ? await startDatabase(stage) : null;
  const machine = machineText({
    nginx: null,
    postgres: database?.version ?? null,
    syncMs: syncMs(stage.folder),
  });
  const upstream = await startOwnServer(stage, './upstream.ts', []);
  const targets = await startTargets(stage, {
    ...{ flags, plan, upstreamPort: upstream.port, database, nginx: null, say },
  });
  const load = stage.fork('./load.ts');
  const tools = { plan, load, upstreamPid: upstream.pid, database, broken: stage.broken, say };
  const measurement = new Measurement(tools);
  const watch = new MemoryWatch();
  const rest = async (phase: Phase): Promise<void> => {
    await pause(REST_MS);
    for (const target of targets) await watch.note(target, phase);
  };
  await rest('rest');
  for (const target of targets)
    await watch.during(target, 'streams', () => measurement.holdStreams([target]));
  await rest('60 s after streams');
  await rest('120 s after streams');
  for (const target of targets) {
    const { faults } = await watch.during(target, 'images', () => makeImagesAtOnce(target));
    measurement.faults.push(...faults);
  }
  await rest('60 s after images');
  await stage.stop();
  const tables = memoryTables(watch);
  process.stdout.write(`${tables.map(printTable).join('\n')}\n`);
  for (const fault of measurement.faults) process.stdout.write(`WRONG: ${fault}\n`);
  if (measurement.faults.length > 0) process.exitCode = 1;
  if (values.write) {
    const text = [
      `Measured on ${isoOf(systemClock.now()).slice(0, 10)}: ${machine}.`,
      '',
      ...tables.map(markdownTable),
    ];
    say(`written to ${writeDocs(text.join('\n'), 'bench-memory')}`);
  }
} finally {
  await stage.stop();
}
