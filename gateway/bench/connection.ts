/** One kept-alive connection of the load: a call at a time, on a bare socket. */
import { connect, type Socket } from 'node:net';
import { LargeReplyReader } from './large-reply-reader.ts';
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
