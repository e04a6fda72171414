/**
 * One history of a machine that loses its power, or whose process is killed, several times: calls are recorded through the
 * real recorder and the real write-ahead file, on a disk and a database that a seed decides about.
 */
import { type Database, DatabaseUnavailable, type Queryable } from '../../src/database/database.ts';
import type { Sql } from '../../src/database/sql.ts';
import { WriteAheadFile } from '../../src/database/write-ahead-file.ts';
import { nextTurn } from '../../src/kernel/next-turn.ts';
import { callRow, splitRows } from '../../src/metering/call-record.ts';
import { CallRecorder } from '../../src/metering/call-recorder.ts';
import { callOf } from '../chaos/books.ts';
import { hastyClock } from '../chaos/trouble.ts';
import { PowerDisk } from './power-disk.ts';
import { type Random, seeded } from './seeded.ts';

const CUTS_MAX = 4;
const CALLS_MAX = 40;
/** Few enough that most runs end in the middle of something. */
const STEPS_MAX = 60;

/** What every run of the machine has in common. */
interface History {
  readonly random: Random;
  /** The row of each call that was ever recorded, by its id. */
  readonly rows: Map<string, string>;
  /** Calls whose reply was delivered. */
  readonly acknowledged: Set<string>;
  /** The durable rows of the database, by their ids. */
  readonly database: Map<string, string>;
  readonly faults: string[];
}

/** Returns what went wrong; nothing if every promise was kept. */
export async function runPowerHistory(seed: number): Promise<string[]> {
  const random = seeded(seed);
  const history: History = {
    ...{ random, faults: [], rows: new Map(), acknowledged: new Set(), database: new Map() },
  };
  let disk: PowerDisk | null = null;
  const cuts = 1 + Math.floor(random() * CUTS_MAX);
  for (let cut = 0; cut < cuts; cut++) {
    const steps = Math.floor(random() * STEPS_MAX);
    disk = await runMachine(history, { before: disk, steps, killed: random() < 0.3 });
  }
  disk = await runMachine(history, { before: disk, steps: Number.POSITIVE_INFINITY, killed: false });
  const left = await disk.list();
  if (left.length > 0) history.faults.push(`files are left: ${left.join(', ')}`);
  checkBooks(history);
  return history.faults;
}

function checkBooks({ acknowledged, database, rows, faults }: History): void {
  for (const id of acknowledged) if (!database.has(id)) faults.push(`${id} was acknowledged and is lost`);
  for (const [id, row] of database) if (rows.get(id) !== row) faults.push(`${id} is not what was recorded`);
}

interface MachineRun {
  readonly before: PowerDisk | null;
  /** The run ends after so many steps of its disk and its database. */
  readonly steps: number;
  readonly killed: boolean;
}

async function runMachine(history: History, { before, steps, killed }: MachineRun): Promise<PowerDisk> {
  const { random } = history;
  const ended = Promise.withResolvers<void>();
  let left = steps;
  const step = (): Promise<void> => {
    if (left-- > 0) return Promise.resolve();
    ended.resolve();
    // Nothing of this run continues.
    return new Promise(() => undefined);
  };
  const isLast = steps === Number.POSITIVE_INFINITY;
  const disk: PowerDisk = before?.again({ random, step }, killed) ?? new PowerDisk({ random, step });
  disk.failing = isLast || random() < 0.5 ? 0 : random() * 0.3;
  const db = new SeededDatabase(history, { step, failing: isLast ? 0 : random() * 0.3 });
  await Promise.race([work(history, disk, db), ended.promise]);
  return disk;
}

async function work(history: History, disk: PowerDisk, db: SeededDatabase): Promise<void> {
  const { random, faults } = history;
  const clock = hastyClock();
  const file = new WriteAheadFile({ disk, clock, segmentBytes: 500 + Math.floor(random() * 4_000) });
  const recorder = new CallRecorder({ db: db.handle, clock, file });
  while (!(await succeeds(recorder.start())));
  const lost = [...history.acknowledged].filter((id) => !history.database.has(id));
  if (lost.length > 0) faults.push(`not applied at the start: ${lost.join(', ')}`);
  const calls = Math.floor(random() * CALLS_MAX);
  for (let call = 0; call < calls; call++) {
    record(history, recorder);
    if (random() < 0.3) await nextTurn();
    if (random() < 0.1) await readThrough(history, db);
  }
  await recorder.flush();
  await recorder.stop(60_000);
}

function record({ rows, acknowledged }: History, recorder: CallRecorder): void {
  const call = callOf('spc_power', '0.5');
  rows.set(call.id, callRow(call));
  recorder.record(call).then(
    () => acknowledged.add(call.id),
    () => undefined,
  );
}

/** What a statement sees: every call whose reply was delivered before it was sent. */
async function readThrough({ acknowledged, database, faults }: History, db: SeededDatabase): Promise<void> {
  const delivered = [...acknowledged];
  if (!(await succeeds(db.handle.query({ text: 'select', values: [] })))) return;
  const missing = delivered.filter((id) => !database.has(id));
  if (missing.length > 0) faults.push(`not seen by a statement: ${missing.join(', ')}`);
}

async function succeeds(work: Promise<unknown>): Promise<boolean> {
  return await work.then(
    () => true,
    () => false,
  );
}

/** A durable database: what it answered is there after any cut. A failed statement may have had its effect. */
class SeededDatabase {
  readonly #history: History;
  readonly #step: () => Promise<void>;
  readonly #failing: number;
  #pending: () => Promise<void> | null = () => null;

  constructor(history: History, options: { step: () => Promise<void>; failing: number }) {
    this.#history = history;
    this.#step = options.step;
    this.#failing = options.failing;
  }

  get handle(): Database {
    const direct: Queryable = { query: (statement) => this.#query(statement) };
    const unused = (): never => {
      throw new Error('not part of this test');
    };
    return {
      ...{ engine: 'embedded', transaction: unused, listen: unused, close: unused },
      query: async (statement) => {
        await this.#pending();
        return await this.#query(statement);
      },
      applyBefore: (pending) => {
        this.#pending = pending;
        return direct;
      },
    };
  }

  async #query({ values }: Sql): Promise<never[]> {
    const { random, database } = this.#history;
    await this.#step();
    const fails = random() < this.#failing;
    if (fails && random() < 0.5) throw new DatabaseUnavailable('before the commit');
    const rows = values[1];
    if (typeof rows === 'string')
      for (const row of splitRows(rows)) {
        const id = row.slice(0, row.indexOf('\x1f'));
        if (!database.has(id)) database.set(id, row);
      }
    await this.#step();
    if (fails) throw new DatabaseUnavailable('after the commit');
    return [];
  }
}
