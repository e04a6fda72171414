/**
 * How many calls of one space several processes commit: `npm run bench:busy`. Each is a process of its own, with the
 * recorder of the gateway and nothing else, on a PostgreSQL of the run. `--write` puts the table into docs/scaling.md.
 */
import type { ChildProcess } from 'node:child_process';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { migrate } from '../src/database/migrate.ts';
import { openDatabase } from '../src/database/open-database.ts';
import { sql } from '../src/database/sql.ts';
import { isoOf, systemClock } from '../src/kernel/time.ts';
import type { BusyJob, BusyResult } from './busy-space-job.ts';
import { type BusyPoint, busyTable } from './busy-space-table.ts';
import { makeSpace } from './commit-bench.ts';
import type { Caller } from './commit-call.ts';
import { type BenchDatabase, startDatabase } from './database.ts';
import { syncMs } from './disk.ts';
import { LockWatch } from './lock-watch.ts';
import { machineText } from './method.ts';
import { Stage } from './stage.ts';
import { markdownTable, printTable } from './table.ts';
import { writeDocs } from './write-docs.ts';

const PROCESSES = [1, 2, 4];
const CALLERS = [8, 32, 128, 500];
const WARM_UP_MS = 700;

const { values } = parseArgs({
  options: { write: { type: 'boolean', default: false }, seconds: { type: 'string', default: '3' } },
});
const say = (line: string): void => void process.stderr.write(`  ${line}\n`);
const stage = new Stage();
try {
  const database = await startDatabase(stage);
  if (database === null) throw new Error('PostgreSQL is not installed');
  const machine = machineText({ nginx: null, postgres: database.version, syncMs: syncMs(stage.folder) });
  const caller = await prepare(database);
  const children: ChildProcess[] = [];
  for (let i = 0; i < Math.max(...PROCESSES); i++) {
    const child = stage.fork('./busy-space-process.ts', [database.url, stage.makeFolder(`process-${i}`)]);
    await answerOf<'open'>(child);
    children.push(child);
  }
  const observer = new pg.Client(database.url);
  await observer.connect();
  const points: BusyPoint[] = [];
  for (const callers of CALLERS) {
    for (const processes of PROCESSES) {
      const used = children.slice(0, processes);
      await runAll(used, { caller, callers, windowMs: WARM_UP_MS });
      const point = await measure({ database, observer, used }, { caller, callers });
      points.push(point);
      say(JSON.stringify(point));
    }
  }
  await observer.end();
  await stage.stop();
  const table = busyTable(points);
  process.stdout.write(`${printTable(table)}\n`);
  if (values.write) {
    const date = isoOf(systemClock.now()).slice(0, 10);
    const text = `Measured on ${date}: ${machine}.\n\n${markdownTable(table)}`;
    say(`written to ${writeDocs(text, 'bench-busy-space', 'scaling.md')}`);
  }
} finally {
  await stage.stop();
}

async function prepare({ url }: BenchDatabase): Promise<Caller> {
  const db = await openDatabase({ url, folder: stage.makeFolder('prepare'), clock: systemClock });
  await migrate(db, systemClock);
  await makeSpace(db, 'busy');
  const [caller] = await db.query<Caller>(sql`select space_id as "spaceId", id as "keyId" from keys`);
  await db.close();
  if (caller === undefined) throw new Error('no key was made');
  return caller;
}

async function measure(
  on: { database: BenchDatabase; observer: pg.Client; used: readonly ChildProcess[] },
  { caller, callers }: { caller: Caller; callers: number },
): Promise<BusyPoint> {
  const cpuBeforeUs = on.database.cpuUs();
  const locks = new LockWatch(on.observer);
  const results = await runAll(on.used, { caller, callers, windowMs: Number(values.seconds) * 1_000 });
  const waiting = await locks.stop();
  const sum = (of: (result: BusyResult) => number): number => results.reduce((all, one) => all + of(one), 0);
  const [calls, commits] = [sum((one) => one.calls), sum((one) => one.commits)];
  const elapsedMs = Math.max(...results.map((one) => one.elapsedMs));
  return {
    ...{ processes: on.used.length, callers, waiting },
    callsPerSecond: (calls * 1_000) / elapsedMs,
    callsPerCommit: calls / commits,
    commitMs: elapsedMs / commits,
    p50Ms: sum((one) => one.p50Ms) / results.length,
    p99Ms: Math.max(...results.map((one) => one.p99Ms)),
    databaseUsPerCall: (on.database.cpuUs() - cpuBeforeUs) / calls,
    clientUsPerCall: sum((one) => one.cpuUs) / calls,
  };
}

async function runAll(children: readonly ChildProcess[], job: BusyJob): Promise<BusyResult[]> {
  return await Promise.all(
    children.map(async (child) => {
      const answer = answerOf<BusyResult>(child);
      child.send(job);
      return await Promise.race([answer, stage.broken]);
    }),
  );
}

function answerOf<T>(child: ChildProcess): Promise<T> {
  return new Promise((resolve) => child.once('message', (message) => resolve(message as T)));
}
