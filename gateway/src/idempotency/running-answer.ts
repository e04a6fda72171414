/**
 * The answer of a call with an Idempotency-Key while this process runs it. It holds the events so far, so that repeats of
 * the request can join, and hands them to the store in groups.
 */
import type { Problem } from '../kernel/problem.ts';
import { numberEvents, skipEvents } from './event-numbers.ts';
import type { AnswerPart, NamedCall, RepeatableScope } from './repeatable-calls.store.ts';

/** The largest answer that is kept. */
export const KEPT_ANSWER_BYTES_MAX = 4 * 1024 * 1024;

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
  #events = 0;
  #bytes = 0;
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
    this.#endsAt = this.#pieces.length;
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
      this.#bytes + bytes <= KEPT_ANSWER_BYTES_MAX && !piece.text.includes('\0') && this.#memory.take(bytes);
    if (fits) {
      this.#bytes += bytes;
      this.#pieces.push(piece);
    } else {
      this.overflowed = true;
      this.#clear();
    }
  }

  #clear(): void {
    this.#memory.giveBack(this.#bytes);
    this.#pieces = [];
    this.#bytes = 0;
  }

  /** Whether there are events that were not handed to the store. */
  get unflushed(): boolean {
    return !this.overflowed && this.#flushed < Math.min(this.#pieces.length, this.#endsAt);
  }

  /** What the store does not have yet, as one part; null if there is nothing. */
  takePart(): { part: AnswerPart; stored: () => void } | null {
    const until = Math.min(this.#pieces.length, this.#endsAt);
    const pieces = this.#pieces.slice(this.#flushed, until);
    this.#flushed = until;
    const part = this.#partOf(pieces);
    if (part === null) return null;
    const from = until - pieces.length;
    // If an earlier part is missing, this one is written again with the end.
    return { part, stored: () => (this.#stored = this.#stored === from ? until : this.#stored) };
  }

  /** Everything that is not in the store for certain. */
  restParts(): AnswerPart[] {
    const part = this.#partOf(this.#pieces.slice(this.#stored));
    return part === null ? [] : [part];
  }

  #partOf(pieces: readonly Piece[]): AnswerPart | null {
    const [first] = pieces;
    if (first === undefined) return null;
    const events = pieces.reduce((sum, piece) => sum + piece.events, 0);
    const body = pieces.map(({ text }) => text).join('');
    return { spaceId: this.spaceId, callId: this.callId, firstEvent: first.firstEvent, events, body };
  }

  /** The events after a number that are in memory. */
  eventsAfter(number: number): { text: string; last: number } {
    let text = '';
    const whole = this.ended && this.failure === null;
    const open = whole ? this.#pieces.length : Math.min(this.#pieces.length, this.#endsAt);
    for (let i = open - 1; i >= 0; i--) {
      const { firstEvent, events, text: own } = this.#pieces[i] as Piece;
      if (firstEvent + events - 1 <= number) break;
      text = skipEvents(own, Math.max(number + 1 - firstEvent, 0)) + text;
    }
    return { text, last: whole ? this.#events : Math.min(this.#events, this.#lastOpen) };
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
