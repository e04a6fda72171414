/** Reads replies of many megabytes: their bytes are counted, and only the two ends are kept. */
import type { Reply } from './reply-reader.ts';

const LENGTH = /\r\ncontent-length: *(\d+)/i;
const HEAD_END = '\r\n\r\n';
const STATUS_AT = 9;
const HEAD_BYTES_MAX = 16 * 1024;
const KEPT_BYTES = 512;

export class LargeReplyReader {
  #head = '';
  #status = 0;
  #begin = '';
  #end = '';
  /** Of the body; -1 while the head is not in. */
  #length = -1;
  #received = 0;

  /** The reply that is now whole, or null while it is not. The bytes are lent. */
  push(bytes: Buffer): Reply | null {
    const body = this.#length < 0 ? this.#readHead(bytes) : bytes;
    if (body === null) return null;
    if (this.#begin.length < KEPT_BYTES) this.#begin += body.toString('latin1', 0, KEPT_BYTES);
    this.#received += body.length;
    // Only what is near the end can be the end.
    if (this.#received > this.#length - KEPT_BYTES) {
      this.#end = (this.#end + body.toString('latin1', Math.max(0, body.length - KEPT_BYTES))).slice(
        -KEPT_BYTES,
      );
    }
    if (this.#received < this.#length) return null;
    if (this.#received > this.#length) throw new Error('more came than was asked for');
    return this.#take();
  }

  #readHead(bytes: Buffer): Buffer | null {
    const before = this.#head.length;
    this.#head += bytes.toString('latin1', 0, HEAD_BYTES_MAX);
    const end = this.#head.indexOf(HEAD_END);
    if (end < 0) {
      if (this.#head.length > HEAD_BYTES_MAX) throw new Error('an endless head');
      return null;
    }
    const head = this.#head.slice(0, end);
    const length = LENGTH.exec(head)?.[1];
    if (length === undefined) throw new Error(`a reply without a length: ${head.slice(0, 200)}`);
    this.#status = Number(head.slice(STATUS_AT, STATUS_AT + 3));
    this.#length = Number(length);
    return bytes.subarray(end + HEAD_END.length - before);
  }

  #take(): Reply {
    const reply = { status: this.#status, body: `${this.#begin} … ${this.#end}`, length: this.#length };
    this.#head = '';
    this.#begin = '';
    this.#end = '';
    this.#length = -1;
    this.#received = 0;
    return reply;
  }
}
