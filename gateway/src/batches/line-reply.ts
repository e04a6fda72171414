/** Where the answer to a line of a batch goes: into the line of a file. */
import type { TextReply } from '../gateway/text-reply.ts';
import { decodeByteString } from '../kernel/byte-string.ts';

export class LineReply implements TextReply {
  /** The JSON of the answer, on one line. */
  text = '';
  readonly #signal: AbortSignal;

  /** The signal ends the call, as a caller who leaves does. */
  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  get gone(): boolean {
    return this.#signal.aborted;
  }

  onGone(listener: () => void): void {
    if (this.#signal.aborted) listener();
    else this.#signal.addEventListener('abort', listener, { once: true });
  }

  sendJson(body: string | readonly Buffer[]): void {
    const text = typeof body === 'string' ? decodeByteString(body) : Buffer.concat(body).toString('utf8');
    // Between the words of JSON a line break means nothing, and inside of them there is none.
    this.text = text.replace(/[\r\n]/g, '');
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
