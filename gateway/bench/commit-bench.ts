/** Records calls as several processes would, each with connections and a recorder of its own. */
import { shellActor } from '../src/access/actor.ts';
import { runOperation } from '../src/administration/operations.ts';
import type { Database } from '../src/database/database.ts';
import { migrate } from '../src/database/migrate.ts';
import { openDatabase } from '../src/database/open-database.ts';
import { sql } from '../src/database/sql.ts';
import { systemClock } from '../src/kernel/time.ts';
import { CallRecorder } from '../src/metering/call-recorder.ts';
import { type Caller, callOf } from './commit-call.ts';
import { type CommitPoint, loads, type PointLoad } from './commit-points.ts';
import type { BenchDatabase } from './database.ts';
import { Random } from './event-queue.ts';
import { median } from './figures.ts';
import type { Stage } from './stage.ts';

const SPACES = Math.max(...loads.map(({ spaces }) => spaces));
const PROCESSES = Math.max(...loads.map(({ processes }) => processes));
const WARM_UP_MS = 1_000;
const GRANT = '1000000';

export class CommitBench {
  readonly #database: BenchDatabase;
  readonly #processes: readonly Database[];
  readonly #callers: readonly Caller[];

  private constructor(database: BenchDatabase, processes: readonly Database[], callers: readonly Caller[]) {
    this.#database = database;
    this.#processes = processes;
    this.#callers = callers;
  }

  static async open(database: BenchDatabase, stage: Stage): Promise<CommitBench> {
    const processes: Database[] = [];
    for (let i = 0; i < PROCESSES; i++) {
      const folder = stage.makeFolder(`commits-${i}`);
      processes.push(await openDatabase({ url: database.url, folder, clock: systemClock }));
    }
    const [db] = processes as [Database];
    await migrate(db, systemClock);
    return new CommitBench(database, processes, await makeCallers(db));
  }

  async close(): Promise<void> {
    for (const db of this.#processes) await db.close();
  }

  async measure(load: PointLoad, windowMs: number): Promise<CommitPoint> {
    await this.#run(load, WARM_UP_MS);
    const [db] = this.#processes as [Database];
    const walBefore = await walPosition(db);
    const [cpuBefore, clientBefore] = [this.#database.cpuUs(), process.cpuUsage()];
    const { commits, waitsMs, elapsedMs } = await this.#run(load, windowMs);
    const { user, system } = process.cpuUsage(clientBefore);
    const [cpuUs, walBytes] = [this.#database.cpuUs() - cpuBefore, (await walPosition(db)) - walBefore];
    return {
      ...load,
      callsPerSecond: Math.round((waitsMs.length * 1_000) / elapsedMs),
      callsPerCommit: round(waitsMs.length / commits),
      p50Ms: round(median(waitsMs)),
      databaseUsPerCommit: Math.round(cpuUs / commits),
      clientUsPerCommit: Math.round((user + system) / commits),
      walBytesPerCall: Math.round(walBytes / waitsMs.length),
    };
  }

  /** Of all tables and indexes, for each call that was recorded. */
  async storedBytesPerCall(): Promise<number> {
    const [db] = this.#processes as [Database];
    const [row] = await db.query<{ bytes: number }>(sql`
      select (pg_database_size(current_database()) / greatest(1, (select count(*) from calls)))::float8 as bytes`);
    return Math.round(row?.bytes ?? 0);
  }

  async #run(
    { processes, callersPerProcess, spaces }: PointLoad,
    windowMs: number,
  ): Promise<{ commits: number; waitsMs: number[]; elapsedMs: number }> {
    const random = new Random(1);
    const waitsMs: number[] = [];
    let commits = 0;
    const startMs = performance.now();
    const call = async (recorder: CallRecorder): Promise<void> => {
      while (performance.now() - startMs < windowMs) {
        const endedMs = performance.now();
        await recorder.record(callOf(this.#callers[random.below(spaces)] as Caller));
        waitsMs.push(performance.now() - endedMs);
      }
    };
    const running = this.#processes.slice(0, processes).flatMap((db) => {
      const recorder = new CallRecorder({ db, clock: systemClock, onGroup: () => void commits++ });
      return Array.from({ length: callersPerProcess }, () => call(recorder));
    });
    await Promise.all(running);
    return { commits, waitsMs, elapsedMs: performance.now() - startMs };
  }
}

async function makeCallers(db: Database): Promise<Caller[]> {
  for (let i = 0; i < SPACES; i++) await makeSpace(db, `space-${i}`);
  return await db.query<Caller>(sql`select space_id as "spaceId", id as "keyId" from keys order by id`);
}

/** With a grant that no run spends, and one key. */
export async function makeSpace(db: Database, space: string): Promise<void> {
  const context = { db, clock: systemClock, actor: shellActor('bench') };
  await runOperation(context, 'spaces.create', { name: space, overage: true });
  await runOperation(context, 'grants.add', { space, amount: GRANT, kind: 'paid' });
  await runOperation(context, 'keys.create', { space, name: 'bench', kind: 'shared' });
}

async function walPosition(db: Database): Promise<number> {
  const [row] = await db.query<{ bytes: string }>(sql`select pg_current_wal_insert_lsn() - '0/0' as bytes`);
  return Number(row?.bytes);
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
