/** Collects the answer to a line of a batch as JSON on one line. */
import type { CallReply, WholeReply } from '../calls/call-reply.ts';
import { decodeByteString } from '../kernel/byte-string.ts';
import type { ShownBody } from '../text/text-format.ts';

export class LineReply implements CallReply {
  /** The JSON of the answer, on one line. */
  text = '';
  /** Only its signal ends it. */
  readonly stopped = null;
  readonly #signal: AbortSignal;
  #listener: (() => void) | null = null;

  /** The signal ends the call, as a disconnecting caller does. */
  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  get gone(): boolean {
    return this.#signal.aborted;
  }

  onGone(listener: () => void): void {
    this.#listener = listener;
    if (this.#signal.aborted) listener();
    else this.#signal.addEventListener('abort', listener, { once: true });
  }

  /** Removes the listener: all lines of a batch share the signal, so it would keep every line in memory. */
  close(): void {
    if (this.#listener !== null) this.#signal.removeEventListener('abort', this.#listener);
  }

  sendWhole({ body }: WholeReply): void {
    this.text = lineBody(body);
  }

  // A line has no headers.
  onHead(): void {}

  // Lines of a batch are never streamed.
  startStream(): void {}
  write(): boolean {
    return true;
  }
  onDrain(): void {}
  endStream(): void {}
  onFail(): void {}

  onSilence(): void {}
}

/** The JSON of an answer on one line. */
export function lineBody(body: ShownBody): string {
  const text = typeof body === 'string' ? decodeByteString(body) : Buffer.concat(body).toString('utf8');
  // JSON text has line breaks only as whitespace between tokens.
  return text.replace(/[\r\n]/g, '');
}
