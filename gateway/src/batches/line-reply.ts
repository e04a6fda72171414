/** Where the answer to a line of a batch goes: into the line of a file. */
import type { CallReply } from '../calls/call-reply.ts';
import { decodeByteString } from '../kernel/byte-string.ts';
import type { ShownBody } from '../text/text-format.ts';

export class LineReply implements CallReply {
  /** The JSON of the answer, on one line. */
  text = '';
  readonly #signal: AbortSignal;
  #listener: (() => void) | null = null;

  /** The signal ends the call, as a caller who leaves does. */
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

  /** The line is over. All lines of a batch share the signal, which must not go on remembering each of them. */
  close(): void {
    if (this.#listener !== null) this.#signal.removeEventListener('abort', this.#listener);
  }

  sendJson(body: ShownBody): void {
    this.text = lineBody(body);
  }

  // Nobody sees its headers.
  onHead(): void {}

  // Lines of a batch are never streamed.
  startStream(): void {}
  write(): boolean {
    return true;
  }
  onDrain(): void {}
  endStream(): void {}
  onFail(): void {}
}

/** The JSON of an answer on one line. */
export function lineBody(body: ShownBody): string {
  const text = typeof body === 'string' ? decodeByteString(body) : Buffer.concat(body).toString('utf8');
  // Between the words of JSON a line break means nothing, and inside of them there is none.
  return text.replace(/[\r\n]/g, '');
}
