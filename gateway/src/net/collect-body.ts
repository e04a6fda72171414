/** Collects a whole body up to a limit. */
import { type BodySink, UpstreamFailure } from './upstream-call.ts';

/** A body in the pieces it arrived in; large bodies are read and passed on without being joined. */
export class Body {
  readonly pieces: readonly Buffer[];
  readonly length: number;

  constructor(pieces: readonly Buffer[]) {
    this.pieces = pieces;
    this.length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  }

  whole(): Buffer {
    const [only] = this.pieces;
    return this.pieces.length === 1 && only !== undefined ? only : Buffer.concat(this.pieces);
  }

  /** The bytes between two positions, in pieces. */
  slice(start: number, end: number): Buffer[] {
    const slices: Buffer[] = [];
    let at = 0;
    for (const piece of this.pieces) {
      const [from, to] = [Math.max(start - at, 0), Math.min(end - at, piece.length)];
      if (from < to) slices.push(from === 0 && to === piece.length ? piece : piece.subarray(from, to));
      at += piece.length;
    }
    return slices;
  }
}

/** Counts the bytes of an answer against a budget, and pauses its sender. */
export interface Room {
  /** Returns false if there is no room yet; `granted` is called later. */
  take(bytes: number, granted: () => void): boolean;
  pause(): void;
  resume(): void;
}

export class BodyCollector implements BodySink {
  readonly #chunks: Buffer[] = [];
  readonly #bytesMax: number;
  readonly #onTooLong: () => void;
  readonly #done: (body: Body | UpstreamFailure) => void;
  readonly #room: Room | null;
  #bytes = 0;
  #tooLong = false;
  #waits = false;
  /** Bytes that arrived while waiting, before the sender stopped. */
  #owed = 0;
  /** What is left of the room that was taken for the declared length. */
  #granted = 0;

  /** `onTooLong` should abort the call; `done` is then given a failure. */
  constructor(options: {
    bytesMax: number;
    onTooLong: () => void;
    done: (body: Body | UpstreamFailure) => void;
    /** Not needed for small answers. */
    room?: Room;
    /** The declared length; 0 if unknown. */
    declaredBytes?: number;
  }) {
    this.#bytesMax = options.bytesMax;
    this.#onTooLong = options.onTooLong;
    this.#done = options.done;
    this.#room = options.room ?? null;
    const declared = Math.min(options.declaredBytes ?? 0, this.#bytesMax);
    // All at once: answers that each hold a part would wait for each other.
    if (this.#room !== null && declared > 0) {
      this.#granted = declared;
      this.#take(this.#room, declared);
    }
  }

  data(chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes <= this.#bytesMax) {
      this.#chunks.push(Buffer.from(chunk));
      if (this.#room !== null) this.#count(this.#room, chunk.length);
    } else if (!this.#tooLong) {
      this.#tooLong = true;
      this.#chunks.length = 0;
      this.#onTooLong();
    }
  }

  /** An answer costs money, so it is never rejected for lack of room; its sender waits. */
  #count(room: Room, bytes: number): void {
    const more = bytes - this.#granted;
    this.#granted = Math.max(0, -more);
    if (more <= 0) return;
    if (this.#waits) this.#owed += more;
    else this.#take(room, more);
  }

  #take(room: Room, bytes: number): void {
    this.#waits = true;
    this.#waits = !room.take(bytes, () => this.#goOn(room));
    if (this.#waits) room.pause();
  }

  #goOn(room: Room): void {
    this.#waits = false;
    const owed = this.#owed;
    this.#owed = 0;
    if (owed > 0) this.#take(room, owed);
    if (!this.#waits) room.resume();
  }

  end(): void {
    this.#done(new Body(this.#chunks));
  }

  fail(failure: UpstreamFailure): void {
    this.#done(
      this.#tooLong ? new UpstreamFailure('cut', new Error(`body over ${this.#bytesMax} bytes`)) : failure,
    );
  }
}
