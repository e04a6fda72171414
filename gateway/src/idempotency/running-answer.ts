/**
 * The answer of a call with an Idempotency-Key while this process runs it. It holds the events so far, so that repeats of
 * the request can join, and hands them to the store in groups.
 */
import type { Problem } from '../kernel/problem.ts';
import { numberEvents, skipEvents } from './event-numbers.ts';
import type { AnswerPart, NamedCall, RepeatableScope } from './repeatable-calls.store.ts';

/** The largest answer that is kept; of a background call, the most that it holds in memory. */
export const KEPT_ANSWER_BYTES_MAX = 4 * 1024 * 1024;
/** The most bytes of events that are kept of a background call. */
export const BACKGROUND_EVENTS_BYTES_MAX = 32 * 1024 * 1024;

export type AnswerHeaders = Readonly<Record<string, string>>;

/** Where its bytes are counted. */
export interface AnswerMemory {
  /** False: there is no room, and the answer is not kept. */
  take(bytes: number): boolean;
  giveBack(bytes: number): void;
}

interface Piece {
  readonly firstEvent: number;
  readonly events: number;
  readonly text: string;
}

export class RunningAnswer implements NamedCall {
  readonly scope: RepeatableScope;
  readonly callId: string;
  readonly digest: string;
  readonly streamed: boolean;
  readonly #memory: AnswerMemory;
  #pieces: Piece[] = [];
  /** The first ones, which only the store has: in all numbers of pieces they are counted. */
  #dropped = 0;
  #events = 0;
  #bytes = 0;
  #heldBytes = 0;
  /** The call runs without its caller. What is in the store is not held in memory. */
  background = false;
  /** Pieces before this one are in the store. */
  #stored = 0;
  /** Events that were handed to the store. */
  #flushed = 0;
  /** Pieces from here on are the end of the answer. */
  #endsAt = Number.POSITIVE_INFINITY;
  /** The last event before it. */
  #lastOpen = Number.POSITIVE_INFINITY;
  /** Null until the head of the answer is known. */
  headers: AnswerHeaders | null = null;
  /** The answer is too large, or there is no memory for it. */
  overflowed = false;
  /** The answer and its charge are durable: everything was sent. */
  ended = false;
  /** Why there is no answer. */
  failure: Problem | null = null;
  /** Why the process stops the call. */
  stopped: Problem | null = null;
  #onStop: (() => void) | null = null;
  #readers = 0;
  #isClosed = false;
  #change = Promise.withResolvers<void>();

  constructor(of: {
    scope: RepeatableScope;
    callId: string;
    digest: string;
    streamed: boolean;
    memory: AnswerMemory;
  }) {
    this.scope = of.scope;
    this.callId = of.callId;
    this.digest = of.digest;
    this.streamed = of.streamed;
    this.#memory = of.memory;
  }

  get spaceId(): string {
    return this.scope.spaceId;
  }

  get bytes(): number {
    return this.#bytes;
  }

  begin(headers: AnswerHeaders): void {
    this.headers ??= headers;
    this.#changed();
  }

  /** Returns the events with their ids. */
  add(events: string): string {
    const { text, count } = numberEvents(events, this.callId, this.#events);
    this.#hold({ firstEvent: this.#events + 1, events: count, text });
    this.#events += count;
    this.#changed();
    return text;
  }

  /** The last events: nobody may have them before the call is charged. */
  addEnd(events: string): string {
    this.#endsAt = this.#count;
    this.#lastOpen = this.#events;
    return this.add(events);
  }

  /** The body of an answer in one piece, as a byte string. */
  addWhole(body: string, headers: AnswerHeaders): void {
    this.headers = headers;
    this.#hold({ firstEvent: 1, events: 1, text: body });
  }

  #hold(piece: Piece): void {
    const bytes = piece.text.length;
    if (this.overflowed) return;
    const fits =
      this.#heldBytes + bytes <= KEPT_ANSWER_BYTES_MAX &&
      this.#bytes + bytes <= BACKGROUND_EVENTS_BYTES_MAX &&
      !piece.text.includes('\0') &&
      this.#memory.take(bytes);
    if (fits) {
      this.#bytes += bytes;
      this.#heldBytes += bytes;
      this.#pieces.push(piece);
    } else {
      this.overflowed = true;
      this.#clear();
      this.#bytes = 0;
    }
  }

  #clear(): void {
    this.#memory.giveBack(this.#heldBytes);
    this.#dropped += this.#pieces.length;
    this.#pieces = [];
    this.#heldBytes = 0;
  }

  get #count(): number {
    return this.#dropped + this.#pieces.length;
  }

  #slice(from: number, until = this.#count): Piece[] {
    return this.#pieces.slice(from - this.#dropped, until - this.#dropped);
  }

  /** The store has the pieces before this one. */
  #storedUntil(until: number): void {
    this.#stored = until;
    if (!this.background || this.overflowed) return;
    const stored = this.#pieces.splice(0, until - this.#dropped);
    const bytes = stored.reduce((sum, { text }) => sum + text.length, 0);
    this.#dropped += stored.length;
    this.#heldBytes -= bytes;
    this.#memory.giveBack(bytes);
  }

  /** Whether there are events that were not handed to the store. */
  get unflushed(): boolean {
    return !this.overflowed && this.#flushed < Math.min(this.#count, this.#endsAt);
  }

  /** What the store does not have yet, as one part; null if there is nothing. */
  takePart(): { part: AnswerPart; stored: () => void; failed: () => void } | null {
    const until = Math.min(this.#count, this.#endsAt);
    const from = this.#flushed;
    const part = this.#partOf(this.#slice(from, until));
    this.#flushed = until;
    if (part === null) return null;
    const stored = (): void => {
      // If an earlier part is missing, this one is written again with the end.
      if (this.#stored === from) this.#storedUntil(until);
    };
    const failed = (): void => {
      // The next part begins with this one, so that memory is freed before the end.
      if (this.background) this.#flushed = this.#stored;
    };
    return { part, stored, failed };
  }

  /** Everything that is not in the store for certain. */
  restParts(): AnswerPart[] {
    const part = this.#partOf(this.#slice(this.#stored));
    return part === null ? [] : [part];
  }

  #partOf(pieces: readonly Piece[]): AnswerPart | null {
    const [first] = pieces;
    if (first === undefined) return null;
    const events = pieces.reduce((sum, piece) => sum + piece.events, 0);
    const body = pieces.map(({ text }) => text).join('');
    return { spaceId: this.spaceId, callId: this.callId, firstEvent: first.firstEvent, events, body };
  }

  /** The events after a number; null if some of them are only in the store. */
  eventsAfter(number: number): { text: string; last: number } | null {
    let text = '';
    const whole = this.ended && this.failure === null;
    const last = whole ? this.#events : Math.min(this.#events, this.#lastOpen);
    const open = (whole ? this.#count : Math.min(this.#count, this.#endsAt)) - this.#dropped;
    if (last <= number) return { text, last };
    if ((this.#pieces[0]?.firstEvent ?? this.#events + 1) > number + 1) return null;
    for (let i = open - 1; i >= 0; i--) {
      const { firstEvent, events, text: own } = this.#pieces[i] as Piece;
      if (firstEvent + events - 1 <= number) break;
      text = skipEvents(own, Math.max(number + 1 - firstEvent, 0)) + text;
    }
    return { text, last };
  }

  whole(): string {
    return this.#pieces[0]?.text ?? '';
  }

  end(failure: Problem | null): void {
    this.failure = failure;
    this.ended = true;
    this.#changed();
  }

  /** A repeat reads its events. Returns a function to call when it no longer does. */
  join(): () => void {
    this.#readers++;
    return () => {
      this.#readers--;
      this.#clearIfUnused();
    };
  }

  /** Frees the memory, once the store has everything and nobody reads it. */
  close(): void {
    this.#isClosed = true;
    this.#clearIfUnused();
  }

  #clearIfUnused(): void {
    if (this.#isClosed && this.#readers === 0) this.#clear();
  }

  /** Resolves at the next change. */
  changed(): Promise<void> {
    return this.#change.promise;
  }

  #changed(): void {
    const { resolve } = this.#change;
    this.#change = Promise.withResolvers();
    resolve();
  }

  stop(problem: Problem): void {
    this.stopped ??= problem;
    this.#onStop?.();
  }

  onStop(listener: () => void): void {
    this.#onStop = listener;
    if (this.stopped !== null) listener();
  }
}
