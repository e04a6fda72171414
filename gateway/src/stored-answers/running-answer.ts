/**
 * A stored answer while this process runs its call. It hands its events to the store in groups, and holds those that the
 * store does not have yet. Readers can join: they read the store, then the memory. Its positions are numbers of events.
 */
import type { Problem } from '../kernel/problem.ts';
import type { AnswerMemory } from './answer-shares.ts';
import { numberEvents, skipEvents } from './event-numbers.ts';
import type { AnswerPart, AnswerScope, NamedCall } from './stored-answer.ts';

/** The largest answer that is kept; of a background call, the most that it holds in memory. */
export const KEPT_ANSWER_BYTES_MAX = 4 * 1024 * 1024;
/** The most bytes of events that are kept of a background call. */
export const BACKGROUND_EVENTS_BYTES_MAX = 32 * 1024 * 1024;
/** A background call that holds more than this waits for the store. */
const BACKGROUND_HELD_BYTES = KEPT_ANSWER_BYTES_MAX / 2;

export type AnswerHeaders = Readonly<Record<string, string>>;

interface Piece {
  readonly firstEvent: number;
  readonly lastEvent: number;
  readonly text: string;
}

export interface NewAnswer {
  readonly scope: AnswerScope;
  readonly callId: string;
  readonly digest: string;
  readonly streamed: boolean;
  readonly memory: AnswerMemory;
}

export class RunningAnswer implements NamedCall {
  readonly scope: AnswerScope;
  readonly callId: string;
  readonly digest: string;
  readonly streamed: boolean;
  readonly #memory: AnswerMemory;
  /** What the store does not have for certain. */
  #pieces: Piece[] = [];
  #events = 0;
  /** The last event before the end, which nobody may have before the call is charged. */
  #lastOpen = Number.POSITIVE_INFINITY;
  /** The last event that was handed to the store. */
  #handed = 0;
  #bytes = 0;
  #heldBytes = 0;
  /** Bytes that were not handed to the store yet. */
  unflushedBytes = 0;
  /** A part is being stored. */
  #isFlushing = false;
  #roomListener: (() => void) | null = null;
  /** The call runs without its caller. */
  background = false;
  /** Null until the head of the answer is known. */
  headers: AnswerHeaders | null = null;
  /** The answer is too large, or there is no memory for it. */
  overflowed = false;
  /** Its end is stored: if this process does not charge it, another one does. */
  isEndStored = false;
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

  constructor({ scope, callId, digest, streamed, memory }: NewAnswer) {
    this.scope = scope;
    this.callId = callId;
    this.digest = digest;
    this.streamed = streamed;
    this.#memory = memory;
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
    this.#hold(text, count);
    this.#changed();
    return text;
  }

  /** The last events: nobody may have them before the call is charged. */
  addEnd(events: string): string {
    this.#lastOpen = this.#events;
    return this.add(events);
  }

  /** The body of an answer in one piece, as a byte string. */
  addWhole(body: string, headers: AnswerHeaders): void {
    this.headers = headers;
    this.#hold(body, 1);
  }

  #hold(text: string, events: number): void {
    const firstEvent = this.#events + 1;
    this.#events += events;
    if (this.overflowed || text === '') return;
    const bytes = text.length;
    const bytesMax = this.background ? BACKGROUND_EVENTS_BYTES_MAX : KEPT_ANSWER_BYTES_MAX;
    const fits =
      this.#heldBytes + bytes <= KEPT_ANSWER_BYTES_MAX &&
      this.#bytes + bytes <= bytesMax &&
      !text.includes('\0') &&
      this.#memory.take(bytes);
    if (fits) {
      this.#bytes += bytes;
      this.#heldBytes += bytes;
      this.unflushedBytes += bytes;
      this.#pieces.push({ firstEvent, lastEvent: this.#events, text });
    } else {
      this.overflowed = true;
      this.#drop(this.#pieces.length);
      this.#bytes = 0;
      this.unflushedBytes = 0;
      this.#roomListener?.();
    }
  }

  /** Frees the first pieces. */
  #drop(count: number): void {
    const bytes = this.#pieces.splice(0, count).reduce((sum, { text }) => sum + text.length, 0);
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

  /** Only the store has the events before this one. */
  get firstHeld(): number {
    return this.#pieces[0]?.firstEvent ?? this.#events + 1;
  }

  /** Whether there are events that were not handed to the store. */
  get unflushed(): boolean {
    return !this.overflowed && this.#handed < Math.min(this.#events, this.#lastOpen);
  }

  /** What the store does not have yet, as one part; null if there is nothing, or while another part is being stored. */
  takePart(): { part: AnswerPart; stored: () => void; failed: () => void } | null {
    if (this.#isFlushing) return null;
    const taken = this.#pieces.filter(({ firstEvent }) => firstEvent <= this.#lastOpen);
    const [part] = this.#partsOf(taken);
    if (part === undefined) return null;
    this.#handed = part.firstEvent + part.events - 1;
    this.unflushedBytes = 0;
    this.#isFlushing = true;
    const stored = (): void => {
      this.#isFlushing = false;
      // Otherwise its memory was freed already.
      if (this.#pieces[0] !== taken[0]) return;
      this.#drop(taken.length);
      this.#roomListener?.();
    };
    const failed = (): void => {
      this.#isFlushing = false;
      // The next part begins with this one.
      this.#handed = part.firstEvent - 1;
    };
    return { part, stored, failed };
  }

  /** Everything that is not in the store for certain. */
  restParts(): AnswerPart[] {
    return this.#partsOf(this.#pieces);
  }

  /** One part, or none. */
  #partsOf(pieces: readonly Piece[]): AnswerPart[] {
    const [first, last] = [pieces[0], pieces.at(-1)];
    if (first === undefined || last === undefined) return [];
    const { spaceId, callId } = this;
    const { firstEvent } = first;
    const body = pieces.map(({ text }) => text).join('');
    return [{ spaceId, callId, firstEvent, events: last.lastEvent - firstEvent + 1, body }];
  }

  /** The events after a number; null if some of them are only in the store. */
  eventsAfter(number: number): { text: string; last: number } | null {
    const isWhole = this.ended && this.failure === null;
    const last = isWhole ? this.#events : Math.min(this.#events, this.#lastOpen);
    if (last <= number) return { text: '', last };
    if (this.firstHeld > number + 1) return null;
    const from = this.#pieces.findLastIndex(({ lastEvent }) => lastEvent <= number) + 1;
    let text = '';
    for (let i = from; i < this.#pieces.length; i++) {
      const piece = this.#pieces[i] as Piece;
      if (piece.firstEvent > last) break;
      text += skipEvents(piece.text, Math.max(number + 1 - piece.firstEvent, 0));
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

  /** Somebody reads its events. Returns a function to call when it no longer does. */
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
    this.#drop(this.#pieces.length);
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
