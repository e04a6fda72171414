/** One kept-alive connection of the load: a call at a time, on a bare socket. */
import { connect, type Socket } from 'node:net';
import { type Reply, ReplyReader } from './reply-reader.ts';
import { sentAt } from './workload.ts';

/** Bytes are copied out before the next read, so all connections share one place to read into. */
const READ_BUFFER = Buffer.allocUnsafeSlow(64 * 1024);

export interface ConnectionEvents {
  reply(connection: Connection, reply: Reply): void;
  /** The connection is of no more use. */
  broken(connection: Connection, reason: string): void;
}

export class Connection {
  readonly #socket: Socket;
  readonly #push: (bytes: Buffer) => Reply | null;
  readonly #events: ConnectionEvents;
  #closed = false;
  /** When the call under way began, for whoever keeps the time. */
  startedMs = 0;
  busy = false;
  /** When the first frame of a stamped stream came. */
  firstFrameNs = 0n;

  constructor(port: number, events: ConnectionEvents, of: { stamped: boolean; large: boolean }) {
    this.#events = events;
    this.#push = of.large ? pushLarge() : this.#pushText(of.stamped);
    this.#socket = connect({
      port,
      host: '127.0.0.1',
      noDelay: true,
      onread: {
        buffer: READ_BUFFER,
        callback: (size) => this.#read(READ_BUFFER.subarray(0, size)),
      },
    });
    this.#socket.on('error', (error) => this.#break(error.message));
    this.#socket.on('close', () => this.#break('the connection was closed'));
  }

  opened(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#socket.once('connect', resolve);
      this.#socket.once('error', reject);
    });
  }

  send(request: Buffer, startedMs: number): void {
    this.startedMs = startedMs;
    this.busy = true;
    this.firstFrameNs = 0n;
    this.#socket.write(request);
  }

  close(): void {
    this.#closed = true;
    this.#socket.destroy();
  }

  #pushText(stamped: boolean): (bytes: Buffer) => Reply | null {
    const reader = new ReplyReader();
    return (bytes) => {
      const text = bytes.toString('latin1');
      if (stamped && this.firstFrameNs === 0n && sentAt(text) !== null) {
        this.firstFrameNs = process.hrtime.bigint();
      }
      return reader.push(text);
    };
  }

  #read(bytes: Buffer): boolean {
    try {
      const reply = this.#push(bytes);
      if (reply !== null) {
        this.busy = false;
        this.#events.reply(this, reply);
      }
    } catch (error) {
      this.#break((error as Error).message);
    }
    return true;
  }

  #break(reason: string): void {
    if (this.#closed) return;
    this.close();
    this.#events.broken(this, reason);
  }
}

function pushLarge(): (bytes: Buffer) => Reply | null {
  const reader = new LargeReplyReader();
  return (bytes) => reader.push(bytes);
}

const LENGTH = /\r\ncontent-length: *(\d+)/i;
const HEAD_END = '\r\n\r\n';
const STATUS_AT = 9;
const HEAD_BYTES_MAX = 16 * 1024;
const KEPT_BYTES = 512;

/** Reads replies of many megabytes: their bytes are counted, and only the two ends are kept. */
class LargeReplyReader {
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
