/** Gathers a whole body up to a limit. */
import { type BodySink, UpstreamFailure } from './upstream-call.ts';

export class BodyCollector implements BodySink {
  readonly #chunks: Buffer[] = [];
  readonly #bytesMax: number;
  readonly #onTooLong: () => void;
  readonly #done: (body: Buffer | UpstreamFailure) => void;
  #bytes = 0;
  #tooLong = false;

  /** `onTooLong` should abort the call; `done` is then given a failure. */
  constructor(options: {
    bytesMax: number;
    onTooLong: () => void;
    done: (body: Buffer | UpstreamFailure) => void;
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
    const [only] = this.#chunks;
    this.#done(this.#chunks.length === 1 && only !== undefined ? only : Buffer.concat(this.#chunks));
  }

  fail(failure: UpstreamFailure): void {
    this.#done(
      this.#tooLong ? new UpstreamFailure('cut', new Error(`body over ${this.#bytesMax} bytes`)) : failure,
    );
  }
}
