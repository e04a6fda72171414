/**
 * Calls whose callers left before their cost was known: their tokens have to be counted, or the usage of the provider is
 * still expected. From the moment at which the caller leaves, such a call is held at its upper bound, and its record is
 * durable with an estimate. If its process dies, another one, or the next start, charges the estimate. The id of the call
 * makes it one charge, whichever process writes it.
 */
import type { Database } from '../database/database.ts';
import { GroupWriter } from '../database/group-writer.ts';
import type { BackgroundTasks } from '../kernel/background-tasks.ts';
import { RepeatingTask } from '../kernel/repeating-task.ts';
import type { Running } from '../kernel/running.ts';
import type { Clock, Instant } from '../kernel/time.ts';
import type { Units } from '../kernel/units.ts';
import { purseOf } from './budgets/match-budgets.ts';
import { type CallRecord, callRow } from './call-record.ts';
import type { CallRecorder } from './call-recorder.ts';
import {
  deleteLeftCalls,
  findExpiredLeftCalls,
  insertLeftCalls,
  type LeftCallRow,
  renewLeftCalls,
} from './left-calls.store.ts';

/** A process that has not renewed its calls for so long is dead. */
export const LEFT_CALL_LEASE_MS = 10_000;
const RENEW_MS = 2_500;
const GROUP_ROWS_MAX = 200;
/** Later than any lease. */
const ALL: Instant = Date.parse('9999-01-01T00:00:00Z');

export interface LeftCall {
  /** It is recorded. */
  settled(): void;
  /** It could not be recorded here. Its estimate is charged when the lease has ended. */
  abandon(): void;
}

export interface LeftCallsOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly background: BackgroundTasks;
  readonly recorder: Pick<CallRecorder, 'recordRow'>;
  /** The id of this process. */
  readonly process: () => string;
  readonly onTrouble?: (error: unknown) => void;
}

export class LeftCalls implements Running {
  readonly #options: LeftCallsOptions;
  readonly #writer: GroupWriter<LeftCallRow>;
  readonly #remover: GroupWriter<string>;
  readonly #task: RepeatingTask;
  /** Those that are not settled, by id; true if they are durable. */
  readonly #open = new Map<string, boolean>();

  constructor(options: LeftCallsOptions) {
    const { db, clock, onTrouble } = options;
    this.#options = options;
    this.#writer = new GroupWriter({
      clock,
      rowsMax: GROUP_ROWS_MAX,
      write: (rows) => insertLeftCalls(db, rows, this.#lease()),
    });
    this.#remover = new GroupWriter({
      clock,
      rowsMax: GROUP_ROWS_MAX,
      write: (ids) => deleteLeftCalls(db, ids),
    });
    this.#task = new RepeatingTask({
      clock,
      everyMs: RENEW_MS,
      work: () => this.runOnce(),
      ...(onTrouble && { onTrouble }),
    });
  }

  /** How many wait for their cost, and how many of them a crash cannot lose. */
  get waiting(): { readonly calls: number; readonly durable: number } {
    const durable = [...this.#open.values()].filter(Boolean).length;
    return { calls: this.#open.size, durable };
  }

  /** An embedded database has one process, so what is there belongs to one that is dead. */
  async start(): Promise<void> {
    if (this.#options.db.engine === 'embedded') await this.#chargeLost(ALL);
    this.#task.start();
  }

  async stop(): Promise<void> {
    await this.#task.stop();
    await this.#writer.flush();
    await this.#remover.flush();
  }

  /** Renews the calls of this process, and charges those of dead ones. */
  async runOnce(): Promise<void> {
    const { db, clock } = this.#options;
    if (this.#open.size > 0) await renewLeftCalls(db, [...this.#open.keys()], this.#lease());
    await this.#chargeLost(clock.now());
  }

  /** `record`: what is charged if this process dies. `atMost`: what the call costs at most. */
  open(record: CallRecord, atMost: Units): LeftCall {
    const { background } = this.#options;
    const { id, spaceId, keyId, memberId, budgets = [] } = record;
    this.#open.set(id, false);
    const written = this.#writer
      .add({
        id,
        spaceId,
        keyId,
        memberId,
        row: callRow(record),
        units: atMost,
        budgets: budgets.map(purseOf),
      })
      .then(() => this.#open.has(id) && this.#open.set(id, true));
    background.run('store a left call', () => written);
    return {
      settled: () => {
        this.#open.delete(id);
        background.run('remove a left call', () => this.#remove(id, written));
      },
      abandon: () => void this.#open.delete(id),
    };
  }

  #lease(): { process: string; until: Instant } {
    const { process, clock } = this.#options;
    return { process: process(), until: clock.now() + LEFT_CALL_LEASE_MS };
  }

  /** After it was written, or it would stay. A row that was not written is not there to be removed. */
  async #remove(id: string, written: Promise<unknown>): Promise<void> {
    const isWritten = await written.then(
      () => true,
      () => false,
    );
    if (isWritten) await this.#remover.add(id);
  }

  async #chargeLost(before: Instant): Promise<void> {
    const { db, recorder } = this.#options;
    for (;;) {
      const lost = await findExpiredLeftCalls(db, before, GROUP_ROWS_MAX);
      await Promise.all(lost.map(({ row }) => recorder.recordRow(row)));
      if (lost.length > 0)
        await deleteLeftCalls(
          db,
          lost.map(({ id }) => id),
        );
      if (lost.length < GROUP_ROWS_MAX) return;
    }
  }
}
