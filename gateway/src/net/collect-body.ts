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

export class BodyCollector implements BodySink {
  readonly #chunks: Buffer[] = [];
  readonly #bytesMax: number;
  readonly #onTooLong: () => void;
  readonly #done: (body: Body | UpstreamFailure) => void;
  #bytes = 0;
  #tooLong = false;

  /** `onTooLong` should abort the call; `done` is then given a failure. */
  constructor(options: {
    bytesMax: number;
    onTooLong: () => void;
    done: (body: Body | UpstreamFailure) => void;
  }) {
    this.#bytesMax = options.bytesMax;
    this.#onTooLong = options.onTooLong;
    this.#done = options.done;
  }

  data(chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes <= this.#bytesMax) this.#chunks.push(Buffer.from(chunk));
    else if (!this.#tooLong) {
      this.#tooLong = true;
      this.#chunks.length = 0;
      this.#onTooLong();
    }
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
