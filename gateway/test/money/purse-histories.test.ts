/**
 * Random histories of processes on a real database: calls, kills, processes that are taken for dead, slices that are called
 * back, units that expire, grants, corrections, other limits and ends of months. After every step the books agree, units and
 * usage are those of a simple ledger that charges one call after the other, and no hard limit is passed. `npm run test:chaos`
 * tries TOLLGATE_PURSE_HISTORIES of each kind.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Principal } from '../../src/access/principal.ts';
import type { Database } from '../../src/database/database.ts';
import { sql } from '../../src/database/sql.ts';
import { HOUR_MS } from '../../src/kernel/durations.ts';
import { newId, randomFraction } from '../../src/kernel/ids.ts';
import { Problem } from '../../src/kernel/problem.ts';
import { type Clock, monthOf, monthStart, nextMonth, systemClock } from '../../src/kernel/time.ts';
import { printUnits, type Units, ZERO } from '../../src/kernel/units.ts';
import { readBalance } from '../../src/ledger/balance.store.ts';
import { settleSpaces } from '../../src/ledger/settle.store.ts';
import { Admission } from '../../src/metering/admission.ts';
import { callRow, joinRows } from '../../src/metering/call-record.ts';
import { recordCalls } from '../../src/metering/calls.store.ts';
import { LeftRows } from '../../src/metering/left-rows.ts';
import type { Hold } from '../../src/metering/purses/hold.ts';
import { PurseBook } from '../../src/metering/purses/purse-book.ts';
import { RECALL_MS } from '../../src/metering/purses/purse-recalls.ts';
import { DatabasePurses, readMeanCost } from '../../src/metering/purses/purses.store.ts';
import { endProcess, insertProcess } from '../../src/processes/processes.store.ts';
import { verifyBooks } from '../../src/reports/verify-books.store.ts';
import { callOf } from '../chaos/books.ts';
import { engines } from '../support/engines.ts';
import { makeKey, makeListSpace, useDatabase } from '../support/list-stage.ts';
import { LedgerModel, runStep } from '../support/statement-history.ts';

const long = process.env.TOLLGATE_PURSE_HISTORIES;
/** The long form takes others each time; fast-check prints the seed of those that fail. */
const runs = {
  numRuns: Number(long ?? 3),
  ...(long !== undefined && { seed: Math.floor(randomFraction() * 2 ** 31) }),
};
const TIMEOUT_MS = 60_000 + runs.numRuns * 30_000;
const PROCESSES = 3;
const LIMIT = 300n;
/** Seven days before a month ends. */
const START = monthStart('2026-05') - 168 * HOUR_MS;

const nat = (max: number) => fc.nat(max);
const step = fc.oneof(
  { weight: 10, arbitrary: fc.record({ do: fc.constant('begin' as const), who: nat(2), amount: nat(60) }) },
  { weight: 8, arbitrary: fc.record({ do: fc.constant('end' as const), who: nat(20), amount: nat(60) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('grant' as const), who: nat(12), amount: nat(80) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('correct' as const), who: nat(20), amount: nat(60) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('limit' as const), who: nat(0), amount: nat(500) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom('kill', 'lose', 'tend', 'recall', 'fold', 'settle', 'hour', 'day', 'month'),
      ...{ who: nat(2), amount: fc.constant(0) },
    }),
  },
);

interface RunningCall {
  readonly process: Process;
  /** Of the process when the call began: it may be recorded after others have finished what that process left. */
  readonly writer: number;
  readonly hold: Hold;
  readonly amount: bigint;
  /** Its process was taken for dead while it ran: nothing is held for it elsewhere. */
  isLost: boolean;
}

interface Process {
  id: string;
  writer: number;
  readonly book: PurseBook;
  readonly admission: Admission;
}

const refusals: ReadonlySet<string> = new Set(['insufficient_units', 'policy_limit_exceeded']);

/** A space, its key, and the processes that serve it. */
class History {
  readonly #db: Database;
  readonly #hard: boolean;
  readonly #space: string;
  readonly #key: string;
  readonly #model = new LedgerModel();
  readonly #clock: Clock;
  /** Ends the time in which others give back what is called back: when they have done it. */
  readonly #recalling: Array<() => void> = [];
  #at = START;
  #limit = LIMIT;
  #processes: Process[] = [];
  #running: RunningCall[] = [];

  private constructor(db: Database, hard: boolean, of: { space: string; key: string }) {
    this.#db = db;
    this.#hard = hard;
    this.#space = of.space;
    this.#key = of.key;
    this.#clock = {
      ...systemClock,
      now: () => this.#at,
      elapsedMs: () => this.#at,
      after: (ms, work) => {
        if (ms === RECALL_MS) this.#recalling.push(work);
        else setImmediate(work);
        return () => undefined;
      },
    };
  }

  static async open(db: Database, hard: boolean): Promise<History> {
    const space = await makeListSpace(db, undefined, false);
    const key = await makeKey(db, space, { name: 'own' });
    const history = new History(db, hard, { space, key });
    await history.#setLimit(LIMIT);
    for (let i = 0; i < PROCESSES; i++) history.#processes.push(await history.#start());
    return history;
  }

  async run({ do: what, who, amount }: { do: string; who: number; amount: number }): Promise<void> {
    // Refusals are remembered for a second.
    this.#at += 1_500;
    const at = this.#processes[who % PROCESSES] as Process;
    const units = BigInt(amount);
    if (what === 'begin') await this.#begin(at, units);
    else if (what === 'end') await this.#end(who, units);
    else if (what === 'grant') await this.#grant(who, units);
    else if (what === 'correct') await this.#correct(who, units);
    else if (what === 'limit') await this.#setLimit(units);
    else if (what === 'kill') await this.#kill(who % PROCESSES);
    else if (what === 'lose') await this.#lose(at);
    else if (what === 'tend') await at.book.runOnce();
    else if (what === 'recall') await at.book.recalled(`space:${this.#space}`);
    else if (what === 'fold') await new LeftRows({ db: this.#db, clock: this.#clock }).runOnce();
    else if (what === 'settle') await settleSpaces(this.#db, [this.#space], this.#at);
    else if (what === 'hour') this.#at += HOUR_MS;
    else if (what === 'day') this.#at += 24 * HOUR_MS;
    else this.#at = Math.max(monthStart(nextMonth(monthOf(this.#at))), this.#at);
    await this.#check();
  }

  /** What is left can be used, also if another process had it. */
  async end(): Promise<void> {
    for (const { hold } of this.#running.splice(0)) hold.release();
    const left = this.#left();
    this.#at += 1_500;
    if (this.#hard && left > 0n) expect(await this.#hold(this.#processes[0] as Process, left)).not.toBeNull();
    for (const { id } of this.#processes) await endProcess(this.#db, id);
  }

  async #begin(at: Process, amount: bigint): Promise<void> {
    const before = this.#left();
    const hold = await this.#hold(at, amount);
    if (hold === null) return;
    expect(before).toBeGreaterThan(0n);
    this.#running.push({ process: at, writer: at.writer, hold, amount, isLost: false });
    const held = this.#running.reduce((sum, call) => (call.isLost ? sum : sum + call.amount), 0n);
    if (this.#hard) expect(held).toBeLessThanOrEqual(before);
  }

  /** Null if the call is not admitted. */
  async #hold({ admission }: Process, amount: bigint): Promise<Hold | null> {
    const principal = {
      ...{ spaceId: this.#space, spaceName: 'own', keyId: this.#key, memberId: null },
      rules: { key: { month_limit: this.#limit }, member: { month_limit: null } },
      ...{ overageAllowed: false, hardLimits: this.#hard, blocked: false },
    } as unknown as Principal;
    const cost = { atMost: () => amount as Units };
    try {
      return await admission.admit(principal, { model: 'm', cost });
    } catch (error) {
      if (error instanceof Problem && refusals.has(error.code)) return null;
      throw error;
    }
  }

  async #end(pick: number, most: bigint): Promise<void> {
    const [call] = this.#running.splice(pick % Math.max(this.#running.length, 1), 1);
    if (call === undefined) return;
    const cost = most < call.amount ? most : call.amount;
    const at = this.#at;
    const keyId = this.#key;
    const record = callOf(this.#space, cost, { keyId, model: 'm', startedAt: at, chargedAt: at });
    const rows = joinRows([callRow(record)]);
    await recordCalls(this.#db, { rows, spaces: [this.#space], writer: call.writer, at });
    call.hold.settle(cost as Units, at);
    this.#model.calls.push({ id: record.id, month: monthOf(at), cost, model: 'm', key: keyId });
    this.#model.take(cost, at);
    this.#model.used(monthOf(at), cost);
  }

  /** Every second grant is of promo units, which expire after some days. */
  async #grant(days: number, amount: bigint): Promise<void> {
    const grant = { do: 'grant', promo: days % 2 === 1, amount: amount + 1n, days } as const;
    await runStep(this.#db, this.#model, { spaceId: this.#space, step: grant, at: this.#at });
  }

  async #correct(pick: number, amount: bigint): Promise<void> {
    const correction = { do: 'correct', pick, amount } as const;
    await runStep(this.#db, this.#model, { spaceId: this.#space, step: correction, at: this.#at });
    for (const { book } of this.#processes) book.forgetAnswers();
  }

  async #setLimit(limit: bigint): Promise<void> {
    this.#limit = limit;
    await this.#db.query(sql`
      update keys set month_limit = ${printUnits(limit as Units)} where id = ${this.#key}`);
  }

  /** Another one starts in its place. Its slices stay until they are folded, and count for nobody. */
  async #kill(place: number): Promise<void> {
    const [dead] = this.#processes.splice(place, 1, await this.#start());
    if (dead === undefined) return;
    this.#running = this.#running.filter(({ process }) => process !== dead);
    await endProcess(this.#db, dead.id);
  }

  /** Others take it for dead, and it finds that out when it asks. */
  async #lose(at: Process): Promise<void> {
    await endProcess(this.#db, at.id);
    for (const call of this.#running) if (call.process === at) call.isLost = true;
    // With hard limits it asks before it uses anything.
    for (const { book } of this.#processes) book.forgetAnswers();
  }

  async #start(): Promise<Process> {
    const book = this.#bookOf(() => started);
    const [clock, db] = [this.#clock, this.#db];
    const admission = new Admission({
      ...{ clock, book, process: () => started.id, callMsMax: HOUR_MS },
      meanCost: (of) => readMeanCost(db, of),
    });
    const started: Process = { id: '', writer: 0, book, admission };
    await this.#register(started);
    return started;
  }

  async #register(started: Process): Promise<void> {
    const id = newId('prc', this.#at);
    const made = { id, host: 'test', pid: 1, version: '0', roles: '', journal: false };
    const lease = { startedAt: this.#at, leaseMs: HOUR_MS };
    const [writer] = await insertProcess(this.#db, { ...made, ...lease }, 1);
    Object.assign(started, { id, writer });
  }

  #bookOf(own: () => Process): PurseBook {
    const [db, clock] = [this.#db, this.#clock];
    const store = new DatabasePurses({ db, clock, process: () => own().id });
    const others = () => this.#processes.filter((one) => one !== own());
    const book: PurseBook = new PurseBook({
      clock,
      store: {
        raise: (asks) => store.raise(asks),
        async giveBack(slices) {
          const locked = await store.giveBack(slices);
          for (const { id } of slices) for (const other of others()) other.book.recalls.givenBack(id);
          return locked;
        },
        recall: async (id) => {
          await Promise.all(others().map((other) => other.book.recalled(id)));
          for (const end of this.#recalling.splice(0)) setImmediate(end);
        },
      },
      unapplied: () => ZERO,
      onEnded: async () => {
        await this.#register(own());
        book.loseAll();
      },
    });
    return book;
  }

  /** What is left of the space and the month of the key. */
  #left(): bigint {
    const usable = this.#model.grants.filter(({ expiresAt }) => expiresAt === null || expiresAt > this.#at);
    const units = usable.reduce((sum, { left }) => sum + left, 0n);
    const ofKey = this.#limit - (this.#model.usage.get(monthOf(this.#at)) ?? 0n);
    return units < ofKey ? units : ofKey;
  }

  async #check(): Promise<void> {
    expect((await verifyBooks(this.#db)).disagreements).toEqual([]);
    const { promo, paid, overageAccrued } = await readBalance(this.#db, this.#space, this.#at);
    const isOver = ({ expiresAt }: { expiresAt: number | null }) =>
      expiresAt !== null && expiresAt <= this.#at;
    const grants = this.#model.grants.filter((grant) => !isOver(grant));
    const held = (isPromo: boolean) =>
      grants.reduce((sum, grant) => (grant.promo === isPromo ? sum + grant.left : sum), 0n);
    expect({ promo, paid, overage: overageAccrued }).toEqual({
      ...{ promo: held(true), paid: held(false) },
      overage: this.#model.overage,
    });
    const months = await this.#db.query<{ month: string; cost: bigint }>(sql`
      select month, (sum(cost) * 1000000000000)::bigint as cost from month_totals
      where key_id = ${this.#key} group by month`);
    for (const { month, cost } of months) expect(BigInt(cost)).toBe(this.#model.usage.get(month));
    // Nobody's slice is larger than what is left, but for what its process held when units or limits became less.
    const [negative] = await this.#db.query(sql`select 1 from slices where granted < 0`);
    expect(negative).toBeUndefined();
  }
}

describe.each(engines)('units and limits of processes on %s', (engine) => {
  const stage = useDatabase(engine);

  test.each([true, false])(
    'agree with charging one call after the other in any history (hard: %s)',
    async (hard) => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
          const history = await History.open(stage.db, hard);
          await history.run({ do: 'grant', who: 0, amount: 99 });
          for (const one of steps) await history.run(one);
          await history.end();
        }),
        runs,
      );
    },
    TIMEOUT_MS,
  );
});
