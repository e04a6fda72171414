/**
 * Measures commits alone: `npm run bench:commits`. Several processes, each with the recorder of the gateway and nothing
 * else, record calls of several spaces on a PostgreSQL of the run. `--slow-commits` makes each commit take 20 ms, so that
 * waiting is the limit and not the cores of this machine. `--write` puts the table into docs/scaling.md.
 */
import type { ChildProcess } from 'node:child_process';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { shellActor } from '../src/access/actor.ts';
import { runOperation } from '../src/administration/operations.ts';
import type { Database } from '../src/database/database.ts';
import { migrate } from '../src/database/migrate.ts';
import { openDatabase } from '../src/database/open-database.ts';
import { sql } from '../src/database/sql.ts';
import { systemClock } from '../src/kernel/time.ts';
import { verifyBooks } from '../src/reports/verify-books.store.ts';
import type { Caller } from './commit-call.ts';
import type { CommitJob, CommitResult } from './commit-job.ts';
import { type BenchDatabase, slowCommits, startDatabase } from './database.ts';
import { LockWatch } from './lock-watch.ts';
import { machineText } from './method.ts';
import { publish, say } from './publish.ts';
import { Stage } from './stage.ts';
import type { Table } from './table.ts';

const WARM_UP_MS = 1_500;
/** Before the first point, which would be too low otherwise: until V8 and the plans of the database have settled. */
const SETTLE_MS = 8_000;
const GRANT = '1000000';

const { values } = parseArgs({
  options: {
    processes: { type: 'string', default: '1,2,4,8' },
    spaces: { type: 'string', default: '1,16,64' },
    callers: { type: 'string', default: '16,64' },
    seconds: { type: 'string', default: '3' },
    'slow-commits': { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
});
const numbers = (text: string): number[] => text.split(',').map(Number);
const [processCounts, spaceCounts, callerCounts] = [
  numbers(values.processes),
  numbers(values.spaces),
  numbers(values.callers),
];
const stage = new Stage();
try {
  const database = await startDatabase(stage);
  if (database === null) throw new Error('PostgreSQL is not installed');
  const machine = machineText(stage.folder, { postgres: database.version });
  if (values['slow-commits']) await slowCommits(database);
  const db = await openDatabase({
    url: database.url,
    folder: stage.makeFolder('prepare'),
    clock: systemClock,
  });
  const all = await prepare(db);
  const children: ChildProcess[] = [];
  for (let i = 0; i < Math.max(...processCounts); i++) {
    const child = stage.fork('./commit-process.ts', [database.url, stage.makeFolder(`process-${i}`)]);
    await answerOf<'open'>(child);
    children.push(child);
  }
  const observer = new pg.Client(database.url);
  await observer.connect();
  const points: CommitPoint[] = [];
  const everything = { callers: all, concurrent: Math.max(...callerCounts), processes: children.length };
  await runAll(children, { ...everything, windowMs: SETTLE_MS });
  for (const spaces of spaceCounts)
    for (const callers of callerCounts)
      for (const processes of processCounts) {
        const used = children.slice(0, processes);
        const job = { callers: all.slice(0, spaces), concurrent: callers, processes };
        await runAll(used, { ...job, windowMs: WARM_UP_MS });
        const point = await measure({ database, observer, used }, job);
        points.push(point);
        say(JSON.stringify(point));
      }
  await observer.end();
  await Promise.all(children.map((child) => ask(child, 'stop')));
  const { disagreements } = await verifyBooks(db);
  await db.close();
  await stage.stop();
  const slow = values['slow-commits'];
  const wrong = disagreements.length;
  const sound = publish(
    {
      machine,
      tables: [commitsTable(points, { slow })],
      faults: wrong === 0 ? [] : [`the books disagree in ${wrong} places`],
    },
    values.write ? { mark: slow ? 'bench-slow-commits' : 'bench-commits', page: 'scaling.md' } : null,
  );
  process.exitCode = sound ? 0 : 1;
} finally {
  await stage.stop();
}

/** Spaces with a grant that no run spends, and one key each. */
async function prepare(db: Database): Promise<Caller[]> {
  await migrate(db, systemClock);
  const context = { db, clock: systemClock, actor: shellActor('bench') };
  for (let i = 0; i < Math.max(...spaceCounts); i++) {
    const space = `space-${i}`;
    await runOperation(context, 'spaces.create', { name: space, overage: true });
    await runOperation(context, 'grants.add', { space, amount: GRANT, kind: 'paid' });
    await runOperation(context, 'keys.create', { space, name: 'bench', kind: 'shared' });
  }
  return await db.query<Caller>(sql`select space_id as "spaceId", id as "keyId" from keys order by id`);
}

async function measure(
  on: { database: BenchDatabase; observer: pg.Client; used: readonly ChildProcess[] },
  job: Omit<CommitJob, 'windowMs'>,
): Promise<CommitPoint> {
  const cpuBeforeUs = on.database.cpuUs();
  const locks = new LockWatch(on.observer);
  const results = await runAll(on.used, { ...job, windowMs: Number(values.seconds) * 1_000 });
  const waiting = await locks.stop();
  const sum = (of: (result: CommitResult) => number): number =>
    results.reduce((total, one) => total + of(one), 0);
  const [calls, commits] = [sum((one) => one.calls), sum((one) => one.commits)];
  const elapsedMs = Math.max(...results.map((one) => one.elapsedMs));
  return {
    processes: on.used.length,
    spaces: job.callers.length,
    callers: job.concurrent,
    waiting,
    callsPerSecond: (calls * 1_000) / elapsedMs,
    callsPerCommit: calls / commits,
    p50Ms: sum((one) => one.p50Ms) / results.length,
    p99Ms: Math.max(...results.map((one) => one.p99Ms)),
    databaseUsPerCall: (on.database.cpuUs() - cpuBeforeUs) / calls,
    recorderUsPerCall: sum((one) => one.cpuUs) / calls,
  };
}

async function runAll(children: readonly ChildProcess[], job: CommitJob): Promise<CommitResult[]> {
  return await Promise.all(children.map((child) => ask<CommitResult>(child, job)));
}

async function ask<T>(child: ChildProcess, message: CommitJob | 'stop'): Promise<T> {
  const answer = answerOf<T>(child);
  child.send(message);
  return await Promise.race([answer, stage.broken]);
}

function answerOf<T>(child: ChildProcess): Promise<T> {
  return new Promise((resolve) => child.once('message', (message) => resolve(message as T)));
}

interface CommitPoint {
  readonly processes: number;
  readonly spaces: number;
  /** Calls of each process that wait for their commit at any time. */
  readonly callers: number;
  readonly callsPerSecond: number;
  readonly callsPerCommit: number;
  /** Connections that wait for a lock, on average. */
  readonly waiting: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly databaseUsPerCall: number;
  readonly recorderUsPerCall: number;
}

function commitsTable(points: readonly CommitPoint[], { slow }: { slow: boolean }): Table {
  const alone = (of: CommitPoint): CommitPoint | undefined =>
    points.find((one) => one.processes === 1 && one.spaces === of.spaces && one.callers === of.callers);
  return {
    title: slow ? 'Commits that take 20 ms' : 'Commits on the disk of this machine',
    head: [
      'spaces',
      'calls waiting in each process',
      'processes',
      'calls/s',
      '× one process',
      'calls per commit',
      'p50 ms',
      'p99 ms',
      'PostgreSQL µs/call',
      'recorder µs/call',
      'waiting for locks',
    ],
    rows: points.map((point) => [
      String(point.spaces),
      String(point.callers),
      String(point.processes),
      Math.round(point.callsPerSecond).toLocaleString('en-US'),
      (point.callsPerSecond / (alone(point)?.callsPerSecond ?? point.callsPerSecond)).toFixed(2),
      point.callsPerCommit.toFixed(1),
      point.p50Ms.toFixed(1),
      point.p99Ms.toFixed(1),
      point.databaseUsPerCall.toFixed(0),
      point.recorderUsPerCall.toFixed(0),
      point.waiting.toFixed(2),
    ]),
    notes: [
      'Processes, PostgreSQL and the disk share the cores of one machine. Waiting for locks: connections that wait for a row or ' +
        'a transaction of another one, on average over looks every 20 ms.',
    ],
  };
}
