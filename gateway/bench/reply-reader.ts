/**
 * Reads HTTP/1.1 replies one after the other, as cheaply as checking them allows: on byte strings,
 * knowing only bodies with a length and chunked ones.
 */
export interface Reply {
  readonly status: number;
  readonly body: string;
  /** Of the whole body; of a large one only the ends are kept. */
  readonly length: number;
}

const STATUS_AT = 9;
const LENGTH = /\r\ncontent-length: *(\d+)/i;
const CHUNKED = /\r\ntransfer-encoding: *chunked/i;
const REPLY_CHARACTERS_MAX = 1024 * 1024;

export class ReplyReader {
  #pending = '';
  #status = 0;
  #body = '';
  /** Of the body; -1 while the head is not in, Infinity when it is chunked. */
  #length = -1;

  /** The reply that is now whole, or null while it is not. Throws on what it cannot read. */
  push(bytes: string): Reply | null {
    this.#pending = this.#pending === '' ? bytes : this.#pending + bytes;
    if (this.#pending.length + this.#body.length > REPLY_CHARACTERS_MAX) throw new Error('an endless reply');
    if (this.#length < 0 && !this.#readHead()) return null;
    if (this.#length === Number.POSITIVE_INFINITY) return this.#readChunks() ? this.#take() : null;
    if (this.#pending.length < this.#length) return null;
    this.#body = this.#pending.slice(0, this.#length);
    this.#pending = this.#pending.slice(this.#length);
    return this.#take();
  }

  #readHead(): boolean {
    const end = this.#pending.indexOf('\r\n\r\n');
    if (end < 0) return false;
    const head = this.#pending.slice(0, end);
    this.#status = Number(head.slice(STATUS_AT, STATUS_AT + 3));
    const length = LENGTH.exec(head)?.[1];
    if (length !== undefined) this.#length = Number(length);
    else if (CHUNKED.test(head)) this.#length = Number.POSITIVE_INFINITY;
    else throw new Error(`a reply without a length: ${head.slice(0, 200)}`);
    this.#pending = this.#pending.slice(end + 4);
    return true;
  }

  #readChunks(): boolean {
    let at = 0;
    for (;;) {
      const lineEnd = this.#pending.indexOf('\r\n', at);
      if (lineEnd < 0) break;
      const size = Number.parseInt(this.#pending.slice(at, lineEnd), 16);
      if (Number.isNaN(size)) throw new Error('a chunk without a size');
      const from = lineEnd + 2;
      if (this.#pending.length < from + size + 2) break;
      this.#body += this.#pending.slice(from, from + size);
      at = from + size + 2;
      if (size === 0) {
        this.#pending = this.#pending.slice(at);
        return true;
      }
    }
    this.#pending = this.#pending.slice(at);
    return false;
  }

  #take(): Reply {
    const reply = { status: this.#status, body: this.#body, length: this.#body.length };
    if (this.#pending !== '') throw new Error('more came than was asked for');
    this.#body = '';
    this.#length = -1;
    return reply;
  }
}
