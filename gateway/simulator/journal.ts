/** What the simulator was asked, newest last, and who waits for something to be asked. */
import { MIB } from '../src/kernel/bytes.ts';
import type { Instant } from '../src/kernel/time.ts';
import type { RequestHeaders } from './dialect.ts';

export interface SeenCall {
  /** The `x-request-id` of the answer, or `request-id`; some providers tell none. */
  readonly id: string;
  readonly at: Instant;
  readonly method: string;
  readonly path: string;
  /** What follows the `?`; empty without one. */
  readonly query: string;
  /** Lower-cased names. */
  readonly headers: RequestHeaders;
  /** Empty for a form with files, which is no text. */
  readonly text: string;
  /** A form with files as it came; empty otherwise, where the text says it all. */
  readonly bytes: Buffer;
  /** The text as JSON, or a `Form`; undefined if it is neither. */
  readonly body: unknown;
  /** Empty when neither the path nor the body names one. */
  readonly model: string;
  readonly stream: boolean;
  /** The answer was written to its end. */
  readonly finished: boolean;
  /** The caller left before that. */
  readonly aborted: boolean;
}

const CALLS_MAX = 10_000;
const BYTES_MAX = 128 * MIB;
/** Dropped at once, because dropping one at a time moves the whole list for each call. */
const CALLS_DROPPED = 1_000;

interface Waiter {
  readonly predicate: (call: SeenCall) => boolean;
  readonly resolve: (call: SeenCall) => void;
  readonly reject: (reason: Error) => void;
}

export class Journal {
  readonly #calls: SeenCall[] = [];
  #bytes = 0;
  #waiters: Waiter[] = [];
  #closed = false;

  get calls(): readonly SeenCall[] {
    return this.#calls;
  }

  add(call: SeenCall): void {
    this.#calls.push(call);
    this.#bytes += sizeOf(call);
    if (this.#calls.length > CALLS_MAX) this.#drop(CALLS_DROPPED);
    while (this.#bytes > BYTES_MAX && this.#calls.length > 1) this.#drop(1);
    this.#tell(call);
  }

  close(call: SeenCall, how: 'finished' | 'aborted'): void {
    (call as { -readonly [K in keyof SeenCall]: SeenCall[K] })[how] = true;
    this.#tell(call);
  }

  waitFor(predicate: (call: SeenCall) => boolean): Promise<SeenCall> {
    const found = this.#calls.find(predicate);
    if (found !== undefined) return Promise.resolve(found);
    if (this.#closed) return Promise.reject(new Error('the simulator has stopped'));
    return new Promise((resolve, reject) => this.#waiters.push({ predicate, resolve, reject }));
  }

  stop(): void {
    this.#closed = true;
    for (const waiter of this.#waiters.splice(0)) waiter.reject(new Error('the simulator has stopped'));
  }

  #drop(count: number): void {
    for (const call of this.#calls.splice(0, count)) this.#bytes -= sizeOf(call);
  }

  #tell(call: SeenCall): void {
    if (this.#waiters.length === 0) return;
    const still: Waiter[] = [];
    for (const waiter of this.#waiters) {
      try {
        if (waiter.predicate(call)) waiter.resolve(call);
        else still.push(waiter);
      } catch (thrown) {
        waiter.reject(thrown as Error);
      }
    }
    this.#waiters = still;
  }
}

function sizeOf(call: SeenCall): number {
  return call.text.length + call.bytes.length;
}
