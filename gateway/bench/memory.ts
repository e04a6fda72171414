/**
 * What one process holds: at rest, with many slow streams, with large images, and after each: `npm run bench:memory`.
 * The machine need not be quiet. `--write` puts the tables into docs/performance.md.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startDatabase } from './database.ts';
import { readFlags } from './flags.ts';
import { makeImagesAtOnce } from './images.ts';
import { Measurement } from './measure.ts';
import { MemoryWatch, memoryTables, type Phase } from './memory-watch.ts';
import { machineText } from './method.ts';
import { makePlan } from './plan.ts';
import { publish, say } from './publish.ts';
import { Stage } from './stage.ts';
import { startTargets } from './start-targets.ts';
import { startOwnServer } from './target.ts';

/** Between two looks at a process that is idle. */
const REST_MS = 60_000;

const { values } = parseArgs({
  options: {
    write: { type: 'boolean', default: false },
    targets: { type: 'string', default: 'gateway/postgres,gateway/embedded' },
  },
});
const stage = new Stage();
try {
  const flags = readFlags(['--only', 'memory', '--targets', values.targets]);
  const plan = makePlan(flags);
  const database = flags.targets.includes('gateway/postgres') ? await startDatabase(stage) : null;
  const machine = machineText(stage.folder, { postgres: database?.version ?? null });
  const upstream = await startOwnServer(stage, './upstream.ts', []);
  const targets = await startTargets(stage, {
    flags,
    plan,
    upstreamPort: upstream.port,
    database,
    say,
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
  const { faults } = measurement;
  const into = values.write ? ({ mark: 'bench-memory' } as const) : null;
  process.exitCode = publish({ machine, tables: memoryTables(watch), faults }, into) ? 0 : 1;
} finally {
  await stage.stop();
}
