/**
 * Merges the lines of many sources by time as they arrive. The order inside a source never changes. A line
 * waits until every source has a next line to compare with, but not for long, because sources may be
 * silent. A late line is sent at once.
 */
import { type LogTime, logTimeOf } from '../kernel/log-time.ts';
import type { Instant } from '../kernel/time.ts';
import type { LogLine } from './source.ts';

/** How long a line waits for older lines of other sources. */
export const WAIT_MS = 200;
/** How long lines wait for a source that is still reading its past. */
export const BEHIND_WAIT_MS = 5_000;
/** Taken lines are removed from the queue this many at a time. */
const TAKEN_MAX = 1_024;

interface Queue {
  readonly lines: LogLine[];
  /** The first line not yet taken. */
  at: number;
  /** When each line arrived. */
  readonly arrivedMs: number[];
  /** Still reads lines that were written before it was added. */
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

  /** Adds a source. `behind`: lines of other sources wait for its first lines. */
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

  /** The source has read its past; from now on other lines wait only WAIT_MS for it. */
  caughtUp(source: string): void {
    const queue = this.#queues.get(source);
    if (queue !== undefined) queue.behind = false;
  }

  /** No more lines will be added; those in the queue are still sent. */
  end(source: string): void {
    const queue = this.#queues.get(source);
    if (queue !== undefined && queue.at === queue.lines.length) this.#queues.delete(source);
    else if (queue !== undefined) this.#ended.add(source);
  }

  /** The number of lines in all queues. */
  get waiting(): number {
    return this.#waiting;
  }

  waitingOf(source: string): number {
    const queue = this.#queues.get(source);
    return queue === undefined ? 0 : queue.lines.length - queue.at;
  }

  /** Takes the next lines in order, at most `max`. `all`: including lines that would have to wait. */
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

  /** Old enough by its own time or, because clocks of pods differ, by its arrival. */
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

  /** The oldest and second oldest first line, and the number of sources that have none. */
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
