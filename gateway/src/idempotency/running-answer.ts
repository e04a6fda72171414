/**
 * The answer of a call with an Idempotency-Key while this process runs it. It hands its events to the store in groups, and
 * holds those that the store does not have yet. Repeats of the request can join: they read the store, then the memory.
 */
import type { Problem } from '../kernel/problem.ts';
import type { AnswerMemory } from './answer-shares.ts';
import { numberEvents, skipEvents } from './event-numbers.ts';
import type { AnswerPart, NamedCall, RepeatableScope } from './repeatable-calls.store.ts';

/** The largest answer that is kept; of a background call, the most that it holds in memory. */
export const KEPT_ANSWER_BYTES_MAX = 4 * 1024 * 1024;
/** The most bytes of events that are kept of a background call. */
export const BACKGROUND_EVENTS_BYTES_MAX = 32 * 1024 * 1024;
/** A background call that holds more than this waits for the store. */
const BACKGROUND_HELD_BYTES = KEPT_ANSWER_BYTES_MAX / 2;

export type AnswerHeaders = Readonly<Record<string, string>>;

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
  /** The first ones, which are in the store and not in memory: in all numbers of pieces they are counted. */
  #dropped = 0;
  #events = 0;
  #bytes = 0;
  #heldBytes = 0;
  /** The call runs without its caller. */
  background = false;
  /** Pieces before this one were handed to the store. */
  #flushed = 0;
  /** Bytes that were not handed to it yet. */
  unflushedBytes = 0;
  /** A part is being stored. */
  #isFlushing = false;
  #roomListener: (() => void) | null = null;
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
    const bytesMax = this.background ? BACKGROUND_EVENTS_BYTES_MAX : KEPT_ANSWER_BYTES_MAX;
    const fits =
      this.#heldBytes + bytes <= KEPT_ANSWER_BYTES_MAX &&
      this.#bytes + bytes <= bytesMax &&
      !piece.text.includes('\0') &&
      this.#memory.take(bytes);
    if (fits) {
      this.#bytes += bytes;
      this.#heldBytes += bytes;
      this.unflushedBytes += bytes;
      this.#pieces.push(piece);
    } else {
      this.overflowed = true;
      this.#clear();
      this.#bytes = 0;
      this.#roomListener?.();
    }
  }

  #clear(): void {
    this.#drop(this.#count);
    this.unflushedBytes = 0;
  }

  /** Frees the pieces before this one. */
  #drop(until: number): void {
    const dropped = this.#pieces.splice(0, until - this.#dropped);
    const bytes = dropped.reduce((sum, { text }) => sum + text.length, 0);
    this.#dropped += dropped.length;
    this.#heldBytes -= bytes;
    this.#memory.giveBack(bytes);
  }

  /** Whether its call has to wait until more of it is stored. */
  get isFull(): boolean {
    return (this.background && this.#heldBytes > BACKGROUND_HELD_BYTES) || this.#memory.isFull;
  }

  /** Called whenever it holds less than before; at most one listener. */
  onRoom(listener: () => void): void {
    this.#roomListener = listener;
  }

  get #count(): number {
    return this.#dropped + this.#pieces.length;
  }

  #slice(from: number, until: number): Piece[] {
    return this.#pieces.slice(from - this.#dropped, until - this.#dropped);
  }

  /** Only the store has the events before this one. */
  get firstHeld(): number {
    return this.#pieces[0]?.firstEvent ?? this.#events + 1;
  }

  /** Whether there are events that were not handed to the store. */
  get unflushed(): boolean {
    return !this.overflowed && this.#flushed < Math.min(this.#count, this.#endsAt);
  }

  /** What the store does not have yet, as one part; null if there is nothing, or while another part is being stored. */
  takePart(): { part: AnswerPart; stored: () => void; failed: () => void } | null {
    if (this.#isFlushing) return null;
    const until = Math.min(this.#count, this.#endsAt);
    const from = this.#flushed;
    const part = this.#partOf(this.#slice(from, until));
    if (part === null) return null;
    this.#flushed = until;
    this.unflushedBytes = 0;
    this.#isFlushing = true;
    const stored = (): void => {
      this.#isFlushing = false;
      // Otherwise its memory was freed already.
      if (this.#dropped !== from) return;
      this.#drop(until);
      this.#roomListener?.();
    };
    const failed = (): void => {
      this.#isFlushing = false;
      // The next part begins with this one.
      this.#flushed = this.#dropped;
    };
    return { part, stored, failed };
  }

  /** Everything that is not in the store for certain. */
  restParts(): AnswerPart[] {
    const part = this.#partOf(this.#pieces);
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
    if (this.firstHeld > number + 1) return null;
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
    if (!this.#isClosed || this.#readers > 0) return;
    this.#clear();
    this.#memory.close();
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
