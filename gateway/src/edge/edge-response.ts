/** The answer to one request. Its head leaves in the same write as the first bytes of its body. */
import { EventEmitter } from 'node:events';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { AnswerPace, AnswerPaces } from './answer-pace.ts';

/** Names in lower case, each followed by its value; or an object. */
export type HeaderList = readonly string[] | Readonly<Record<string, string | number>>;

interface ResponseSignals {
  drain: [];
  /** The answer was handed to the system completely, or the connection closed. */
  close: [];
}

/** What a response asks of its connection. */
export interface AnswerSink {
  readonly socket: Socket;
  /** The value of the Date header. */
  date(): string;
  /** The whole answer was written. */
  answered(): void;
}

const NO_BODY = new Set([204, 304]);

export class EdgeResponse extends EventEmitter<ResponseSignals> {
  readonly #sink: AnswerSink;
  readonly #isHead: boolean;
  readonly #takesChunks: boolean;
  readonly #keepAliveLine: string;
  readonly #paces: AnswerPaces;
  readonly #ownHeaders: Record<string, string> = {};
  /** Written, but not sent yet. */
  #head = '';
  #hasBody = true;
  #chunked = false;
  #ended = false;
  statusCode = 200;
  headersSent = false;
  /** False: the connection closes after this answer. */
  keepAlive: boolean;
  /** The client waits for a 100 before it sends the body. If it gets none, the connection cannot be used again. */
  awaitsContinue: boolean;
  /** The system has taken all of it. */
  writableFinished = false;
  /** Nothing can be written any more. */
  destroyed = false;
  /** How fast the client has to take it. */
  pace: AnswerPace;

  constructor(
    sink: AnswerSink,
    of: {
      isHead: boolean;
      takesChunks: boolean;
      keepAlive: boolean;
      awaitsContinue: boolean;
      keepAliveLine: string;
      paces: AnswerPaces;
    },
  ) {
    super();
    this.#sink = sink;
    this.#isHead = of.isHead;
    this.#takesChunks = of.takesChunks;
    this.#keepAliveLine = of.keepAliveLine;
    this.keepAlive = of.keepAlive;
    this.awaitsContinue = of.awaitsContinue;
    this.#paces = of.paces;
    this.pace = of.paces.answer;
  }

  get socket(): Socket {
    return this.#sink.socket;
  }

  get ended(): boolean {
    return this.#ended;
  }

  get writableLength(): number {
    return this.#sink.socket.writableLength;
  }

  get writableNeedDrain(): boolean {
    return !this.destroyed && this.#sink.socket.writableNeedDrain;
  }

  /** Adds a header to those of `writeHead`. */
  setHeader(name: string, value: string): void {
    this.#ownHeaders[name] = value;
  }

  /** It is sent as it is produced, for as long as that takes. */
  becomeStream(): void {
    this.pace = this.#paces.stream;
  }

  /** The connection closes after this answer. Without effect once the head was written. */
  closeAfter(): void {
    if (!this.headersSent) this.keepAlive = false;
  }

  writeHead(status: number, headers: HeaderList): this {
    if (this.headersSent) throw new Error('the head of this answer was already written');
    // The list is checked before anything changes: an error in it is answered as usual.
    const { lines, hasLength } = writeHeaders(headers);
    const own = writeHeaders(this.#ownHeaders).lines;
    this.headersSent = true;
    this.statusCode = status;
    this.#hasBody = !this.#isHead && !NO_BODY.has(status);
    let head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${own}${lines}Date: ${this.#sink.date()}\r\n`;
    if (this.awaitsContinue) this.keepAlive = false;
    if (this.#hasBody && !hasLength) {
      if (this.#takesChunks) {
        this.#chunked = true;
        head += 'Transfer-Encoding: chunked\r\n';
      } else this.keepAlive = false;
    }
    this.#head = head + (this.keepAlive ? this.#keepAliveLine : 'Connection: close\r\n\r\n');
    return this;
  }

  /** Sends the head before there is a body. */
  flushHeaders(): void {
    if (this.#head === '' || this.destroyed) return;
    this.#sink.socket.write(this.#head, 'latin1');
    this.#head = '';
  }

  /** False if the caller should wait for `drain`. A string is latin1 (a byte string) or UTF-8. */
  write(chunk: string | Buffer, encoding: 'utf8' | 'latin1' = 'utf8'): boolean {
    if (this.destroyed || this.#ended || !this.#hasBody || chunk.length === 0) return true;
    return this.#write(chunk, encoding, '');
  }

  end(chunk: string | Buffer = '', encoding: 'utf8' | 'latin1' = 'utf8'): void {
    if (this.destroyed || this.#ended) return;
    if (!this.headersSent)
      this.writeHead(this.statusCode, ['content-length', String(Buffer.byteLength(chunk))]);
    this.#ended = true;
    const last = this.#chunked ? '0\r\n\r\n' : '';
    if (this.#hasBody && chunk.length > 0) this.#write(chunk, encoding, last);
    else if (this.#head !== '' || last !== '') this.#sink.socket.write(this.#head + last, 'latin1');
    this.#head = '';
    this.#sink.answered();
  }

  /** Closes the connection at once. */
  destroy(): void {
    if (!this.destroyed) this.#sink.socket.destroy();
  }

  /** Called by the connection. */
  close(finished: boolean): void {
    if (this.destroyed) return;
    this.writableFinished = finished;
    this.destroyed = true;
    this.emit('close');
  }

  #write(chunk: string | Buffer, encoding: 'utf8' | 'latin1', last: string): boolean {
    const { socket } = this.#sink;
    const bytes = typeof chunk === 'string' && encoding === 'utf8' ? asByteString(chunk) : chunk;
    const before = this.#chunked ? `${this.#head}${bytes.length.toString(16)}\r\n` : this.#head;
    const after = this.#chunked ? `\r\n${last}` : '';
    this.#head = '';
    if (typeof bytes === 'string') return socket.write(before + bytes + after, 'latin1');
    socket.cork();
    if (before !== '') socket.write(before, 'latin1');
    const taken = socket.write(bytes);
    const all = after === '' ? taken : socket.write(after, 'latin1');
    socket.uncork();
    return all;
  }
}

/** Text of ASCII is its own byte string, which is cheaper to write than a buffer. */
function asByteString(text: string): string | Buffer {
  return Buffer.byteLength(text) === text.length ? text : Buffer.from(text);
}

function writeHeaders(headers: HeaderList): { lines: string; hasLength: boolean } {
  let lines = '';
  let hasLength = false;
  const add = (name: string, value: string): void => {
    if (name === 'content-length') hasLength = true;
    lines += headerLine(name, value);
  };
  if (Array.isArray(headers)) {
    const list = headers as readonly string[];
    for (let i = 0; i < list.length; i += 2) add(list[i] as string, list[i + 1] as string);
  } else for (const [name, value] of Object.entries(headers)) add(name, String(value));
  return { lines, hasLength };
}

/** A line break in a value would begin another header. */
function headerLine(name: string, value: string): string {
  if (NOT_IN_VALUE.test(value))
    throw new TypeError(`the value of the header ${name} has a character that it may not have`);
  return `${name}: ${value}\r\n`;
}

const NOT_IN_VALUE = /[^\t\x20-\x7e\x80-\xff]/;
