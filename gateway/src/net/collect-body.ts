/** Gathers a whole body up to a limit. */
import { type BodySink, UpstreamFailure } from './upstream-call.ts';

/** A body in the pieces it came in: large ones are looked at and passed on without being joined. */
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

  /** The bytes between two places, as the pieces they lie in. */
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

/** Where the bytes of an answer are counted, and how its sender is told to wait. */
export interface Room {
  /** False: `granted` is called when there is room. */
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
  /** Came while it waited: what was read before the sender stopped. */
  #owed = 0;
  /** Of what was asked for when the length was told. */
  #granted = 0;

  /** `onTooLong` should abort the call; `done` is then given a failure. */
  constructor(options: {
    bytesMax: number;
    onTooLong: () => void;
    done: (body: Body | UpstreamFailure) => void;
    /** Left out for answers that are small. */
    room?: Room;
    /** As the sender told it; 0 where it did not. */
    declaredBytes?: number;
  }) {
    this.#bytesMax = options.bytesMax;
    this.#onTooLong = options.onTooLong;
    this.#done = options.done;
    this.#room = options.room ?? null;
    const declared = Math.min(options.declaredBytes ?? 0, this.#bytesMax);
    // All of it at once: answers that hold a part each would wait for each other.
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

  /** An answer is paid for, so it is never refused for want of room: its sender waits. */
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
