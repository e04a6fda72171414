/** The body of a response of the cluster, read piece by piece. A slow reader pauses the connection. */
import type { BodySink, UpstreamCall } from '../../net/upstream-call.ts';

/** Received and not yet read: the connection is paused. */
const WAITING_BYTES_MAX = 256 * 1024;

export class ApiBody implements BodySink {
  readonly #signal: AbortSignal;
  readonly #pieces: Buffer[] = [];
  #bytes = 0;
  #ended = false;
  #failure: Error | null = null;
  #notify: (() => void) | null = null;
  call: UpstreamCall | null = null;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  readonly abort = (): void => {
    this.call?.abort();
    this.#ended = true;
    this.#failure ??= new Error('the request was aborted');
    this.#notify?.();
  };

  /** The next bytes; null at the end. Rejects if the connection was cut. */
  async next(): Promise<Buffer | null> {
    while (this.#pieces.length === 0) {
      if (this.#ended) {
        this.#signal.removeEventListener('abort', this.abort);
        if (this.#failure !== null) throw this.#failure;
        return null;
      }
      await new Promise<void>((resolve) => {
        this.#notify = resolve;
      });
      this.#notify = null;
    }
    const piece = this.#pieces.length === 1 ? (this.#pieces[0] as Buffer) : Buffer.concat(this.#pieces);
    this.#pieces.length = 0;
    if (this.#bytes >= WAITING_BYTES_MAX) this.call?.resume();
    this.#bytes = 0;
    return piece;
  }

  /** Stops reading before the end. */
  close(): void {
    this.#signal.removeEventListener('abort', this.abort);
    if (!this.#ended) this.abort();
  }

  data(chunk: Buffer): void {
    this.#pieces.push(Buffer.from(chunk));
    const before = this.#bytes;
    this.#bytes += chunk.length;
    if (before < WAITING_BYTES_MAX && this.#bytes >= WAITING_BYTES_MAX) this.call?.pause();
    this.#notify?.();
  }

  end(): void {
    this.#ended = true;
    this.#notify?.();
  }

  fail(failure: Error): void {
    this.#ended = true;
    this.#failure ??= failure;
    this.#notify?.();
  }
}
