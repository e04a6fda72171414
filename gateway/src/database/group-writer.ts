/**
 * Writes rows in groups: while one write is in flight, new rows form the next group. An idle process writes a row at
 * once, a busy one shares each commit among many rows, and there is no timer.
 *
 * Rows share a write, never a failure: a row that the database rejects fails alone. A group is bounded in rows
 * and in bytes, and lanes take turns in filling it, so that the large rows of one tenant delay another's by
 * one group and no more.
 */
import { FairLanes } from '../kernel/fair-lanes.ts';
import { type Clock, pause } from '../kernel/time.ts';
import { DatabaseUnavailable } from './database.ts';
import { LaneBytes } from './lane-bytes.ts';

export interface GroupWriterOptions<Row> {
  readonly clock: Clock;
  /** Writes all rows or none. Is called again with the same rows when the database was unavailable. */
  readonly write: (rows: readonly Row[], tried: number) => Promise<void>;
  readonly rowsMax: number;
  /** Of one group; a row that is larger goes alone. */
  readonly bytesMax?: number;
  /** Of all waiting rows, shared between lanes; more are rejected at once. */
  readonly waitingBytesMax?: number;
  readonly sizeOf?: (row: Row) => number;
  /** The lane of a row, such as its space. */
  readonly laneOf?: (row: Row) => string;
  readonly resend?: ResendRules;
  /** How long the next group waits before it is formed. Default 0. */
  readonly waitMs?: () => number;
  /** How often a row that was rejected alone is sent again: not every rejection is about the row. Default 0. */
  readonly retriesAlone?: number;
  readonly onGroup?: (group: { rows: number; durationMs: number }) => void;
  readonly onTrouble?: (error: unknown, group: { rows: number }) => void;
  /** What a caller of `add` gets when its row could not be written. */
  readonly rejection?: (cause: unknown) => Error;
}

/** For times when the database is down. Without rules the group fails at the first attempt. */
export interface ResendRules {
  /** After this long callers get an error, because their rows are not written yet. */
  readonly waitMsMax: number;
  /** Whether rows are retried after that until the database accepts them, or dropped. */
  readonly afterwards: 'send on' | 'drop';
}

export const RESEND_DELAY_MS = 100;

interface Waiting<Row> {
  readonly row: Row;
  readonly lane: string;
  readonly bytes: number;
  resolve(): void;
  reject(error: unknown): void;
}

export class GroupWriter<Row> {
  readonly #options: GroupWriterOptions<Row>;
  readonly #stopping = new AbortController();
  readonly #waiting = new FairLanes<Waiting<Row>>();
  readonly #waitingBytes: LaneBytes | null;
  #working: Promise<void> | null = null;
  #sendingSinceMs: number | null = null;
  #failures = 0;

  constructor(options: GroupWriterOptions<Row>) {
    const { waitingBytesMax } = options;
    this.#options = options;
    this.#waitingBytes = waitingBytesMax === undefined ? null : new LaneBytes(waitingBytesMax);
  }

  /** Resolves when the row is durable. */
  add(row: Row): Promise<void> {
    const { sizeOf, laneOf } = this.#options;
    const bytes = sizeOf?.(row) ?? 0;
    const lane = laneOf?.(row) ?? '';
    if (this.#waitingBytes?.take(lane, bytes) === false) {
      return Promise.reject(this.#rejection(new DatabaseUnavailable('too many rows wait to be written')));
    }
    return new Promise((resolve, reject) => this.#add({ row, lane, bytes, resolve, reject }));
  }

  #add(waiting: Waiting<Row>): void {
    this.#waiting.add(waiting.lane, waiting);
    this.#working ??= this.#work();
  }

  /** How many rows are in no group yet. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Since when the group in flight waits for its commit, including retries; null without one. */
  get sendingSinceMs(): number | null {
    return this.#sendingSinceMs;
  }

  /** How often the write of the group in flight has failed. */
  get failures(): number {
    return this.#failures;
  }

  /** Gives the rows that are in no group yet to another writer. */
  moveWaitingTo(other: GroupWriter<Row>): void {
    for (const waiting of this.#waiting.waiting()) {
      other.#waitingBytes?.put(waiting.lane, waiting.bytes);
      other.#add(waiting);
    }
    this.#waiting.clear();
    this.#waitingBytes?.clear();
  }

  async flush(): Promise<void> {
    while (this.#working !== null) await this.#working;
  }

  /** Flushes for at most `limitMs`, then stops resending. */
  async stop(limitMs: number): Promise<void> {
    const giveUp = this.#options.clock.after(limitMs, () => this.#stopping.abort());
    await this.flush();
    giveUp();
  }

  async #work(): Promise<void> {
    // Wait for the rows of the same event-loop turn.
    await Promise.resolve();
    while (this.waiting > 0) {
      const waitMs = this.#options.waitMs?.() ?? 0;
      if (waitMs > 0) await pause(this.#options.clock, waitMs, this.#stopping.signal);
      // Another writer may have taken them meanwhile.
      if (this.waiting > 0) await this.#commit(this.#nextGroup());
    }
    this.#working = null;
  }

  /** One row of each lane in turn. A lane whose next row does not fit is the first in the next group. */
  #nextGroup(): Array<Waiting<Row>> {
    const { rowsMax, bytesMax = Number.POSITIVE_INFINITY } = this.#options;
    let [rows, bytes] = [0, 0];
    const group = this.#waiting.takeWhile((next) => {
      if (rows === rowsMax || (rows > 0 && bytes + next.bytes > bytesMax)) return false;
      rows++;
      bytes += next.bytes;
      return true;
    });
    if (this.#waitingBytes !== null)
      for (const { lane, bytes: taken } of group) this.#waitingBytes.giveBack(lane, taken);
    return group;
  }

  async #commit(group: ReadonlyArray<Waiting<Row>>, retriesAlone = 0): Promise<void> {
    const { clock, onGroup } = this.#options;
    const startedMs = clock.elapsedMs();
    try {
      await this.#send(group);
      for (const waiting of group) waiting.resolve();
      onGroup?.({ rows: group.length, durationMs: clock.elapsedMs() - startedMs });
    } catch (error) {
      await this.#isolate(group, error, retriesAlone);
    }
  }

  /** Sends the same rows until the database answers. */
  async #send(group: ReadonlyArray<Waiting<Row>>): Promise<void> {
    const { clock, write, resend, onTrouble } = this.#options;
    const rows = group.map(({ row }) => row);
    const sinceMs = clock.elapsedMs();
    this.#sendingSinceMs = sinceMs;
    this.#failures = 0;
    try {
      for (let tried = 1; ; tried++) {
        try {
          await write(rows, tried);
          return;
        } catch (error) {
          const { aborted } = this.#stopping.signal;
          if (!(error instanceof DatabaseUnavailable) || resend === undefined || aborted) throw error;
          this.#failures++;
          onTrouble?.(error, { rows: group.length });
          if (clock.elapsedMs() - sinceMs > resend.waitMsMax) this.#late(group, error, resend);
          await pause(clock, RESEND_DELAY_MS, this.#stopping.signal);
        }
      }
    } finally {
      this.#sendingSinceMs = null;
    }
  }

  #late(group: ReadonlyArray<Waiting<Row>>, error: DatabaseUnavailable, { afterwards }: ResendRules): void {
    for (const waiting of [...group, ...this.#waiting.waiting()]) waiting.reject(this.#rejection(error));
    if (afterwards === 'send on') return;
    this.#waiting.clear();
    this.#waitingBytes?.clear();
    throw error;
  }

  /** One rejected row must not fail its neighbours: halves the group until the row is alone. */
  async #isolate(group: ReadonlyArray<Waiting<Row>>, error: unknown, retriesAlone: number): Promise<void> {
    const { clock, onTrouble, retriesAlone: retriesMax = 0 } = this.#options;
    const away = error instanceof DatabaseUnavailable;
    if (group.length === 1 && !away && retriesAlone < retriesMax && !this.#stopping.signal.aborted) {
      onTrouble?.(error, { rows: 1 });
      await pause(clock, RESEND_DELAY_MS, this.#stopping.signal);
      await this.#commit(group, retriesAlone + 1);
      return;
    }
    if (group.length > 1 && !away) {
      const middle = group.length >> 1;
      await this.#commit(group.slice(0, middle));
      await this.#commit(group.slice(middle));
      return;
    }
    onTrouble?.(error, { rows: group.length });
    for (const waiting of group) waiting.reject(this.#rejection(error));
  }

  #rejection(cause: unknown): unknown {
    return this.#options.rejection?.(cause) ?? cause;
  }
}
