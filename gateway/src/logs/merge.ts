/**
 * Puts the lines of many sources into one order, by time, as they come. The order inside a source is
 * never changed. A line waits until every source has a next line to compare with, but not for long:
 * sources may be silent. A line that comes too late for its place goes out at once.
 */
import { type LogTime, logTimeOf } from '../kernel/log-time.ts';
import type { Instant } from '../kernel/time.ts';
import type { LogLine } from './source.ts';

/** How long a line waits for others that may be older. */
export const WAIT_MS = 200;
/** How long all wait for a source that is still reading what was there before. */
export const BEHIND_WAIT_MS = 5_000;
/** Lines that went out are forgotten this many at a time. */
const TAKEN_MAX = 1_024;

interface Queue {
  readonly lines: LogLine[];
  /** The first line not yet taken. */
  at: number;
  /** When each line came. */
  readonly arrivedMs: number[];
  /** It still reads what was there when it was added. */
  behind: boolean;
  readonly addedMs: number;
}

export interface Now {
  readonly elapsedMs: number;
  readonly instant: Instant;
}

export class Merger {
  readonly #queues = new Map<string, Queue>();
  readonly #ended = new Set<string>();
  #lastTime: LogTime = '';
  #waiting = 0;

  /** A source whose lines are to come. `behind`: nobody's lines pass its first ones. */
  add(source: string, options: { behind: boolean; now: Now }): void {
    const { behind, now } = options;
    const queue = { lines: [], at: 0, arrivedMs: [], behind, addedMs: now.elapsedMs };
    if (!this.#queues.has(source)) this.#queues.set(source, queue);
  }

  push(source: string, lines: readonly LogLine[], now: Now): void {
    const queue = this.#queues.get(source);
    if (queue === undefined || lines.length === 0) return;
    for (const line of lines) {
      queue.lines.push(line);
      queue.arrivedMs.push(now.elapsedMs);
    }
    this.#waiting += lines.length;
  }

  /** It has read what was there: from now on the others need not wait long for it. */
  caughtUp(source: string): void {
    const queue = this.#queues.get(source);
    if (queue !== undefined) queue.behind = false;
  }

  /** No more lines come from it; those that wait still go out. */
  end(source: string): void {
    const queue = this.#queues.get(source);
    if (queue !== undefined && queue.at === queue.lines.length) this.#queues.delete(source);
    else if (queue !== undefined) this.#ended.add(source);
  }

  /** Lines that wait. */
  get waiting(): number {
    return this.#waiting;
  }

  waitingOf(source: string): number {
    const queue = this.#queues.get(source);
    return queue === undefined ? 0 : queue.lines.length - queue.at;
  }

  /** The lines whose turn it is, in order, but no more than `max`. `all`: also those that would wait. */
  take(now: Now, options: { all?: boolean; max?: number } = {}): LogLine[] {
    const { all = false, max = Number.POSITIVE_INFINITY } = options;
    const taken: LogLine[] = [];
    const oldTime = logTimeOf(now.instant - WAIT_MS);
    for (;;) {
      const heads = this.#heads();
      if (heads.first === null || taken.length >= max) return taken;
      const { first, second } = heads;
      const everyHasOne = heads.empty === 0;
      const canWait = !all && !everyHasOne;
      const blocked = canWait && this.#blockedByReader(now);
      let moved = false;
      for (let line = headOf(first.queue); line !== null; line = headOf(first.queue)) {
        if ((second !== null && line.time > second.time) || taken.length >= max) break;
        const waits = canWait && (blocked || !this.#mayPass(line, first.queue, now, oldTime));
        if (waits && line.time >= this.#lastTime) break;
        this.#pass(first, line, taken);
        moved = true;
      }
      if (!moved) return taken;
    }
  }

  #pass(first: { id: string; queue: Queue }, line: LogLine, taken: LogLine[]): void {
    taken.push(line);
    first.queue.at++;
    this.#waiting--;
    if (line.time > this.#lastTime) this.#lastTime = line.time;
    const over = first.queue.at === first.queue.lines.length;
    if (over || first.queue.at >= TAKEN_MAX) forgetTaken(first.queue);
    if (over && this.#ended.delete(first.id)) this.#queues.delete(first.id);
  }

  /** Old enough by its own time, or, where clocks differ, by when it came. */
  #mayPass(line: LogLine, queue: Queue, now: Now, oldTime: LogTime): boolean {
    return line.time <= oldTime || now.elapsedMs - (queue.arrivedMs[queue.at] ?? 0) >= WAIT_MS;
  }

  #blockedByReader(now: Now): boolean {
    for (const queue of this.#queues.values()) {
      const empty = queue.at === queue.lines.length;
      if (empty && queue.behind && now.elapsedMs - queue.addedMs < BEHIND_WAIT_MS) return true;
    }
    return false;
  }

  /** The oldest head and the next oldest, and how many have none. */
  #heads(): {
    first: { id: string; queue: Queue; time: LogTime } | null;
    second: { time: LogTime } | null;
    empty: number;
  } {
    let first: { id: string; queue: Queue; time: LogTime } | null = null;
    let second: { time: LogTime } | null = null;
    let empty = 0;
    for (const [id, queue] of this.#queues) {
      const line = headOf(queue);
      if (line === null) empty += this.#ended.has(id) ? 0 : 1;
      else if (first === null || line.time < first.time) {
        second = first;
        first = { id, queue, time: line.time };
      } else if (second === null || line.time < second.time) second = { time: line.time };
    }
    return { first, second, empty };
  }
}

function headOf(queue: Queue): LogLine | null {
  return queue.at < queue.lines.length ? (queue.lines[queue.at] as LogLine) : null;
}

function forgetTaken(queue: Queue): void {
  queue.lines.splice(0, queue.at);
  queue.arrivedMs.splice(0, queue.at);
  queue.at = 0;
}
