/**
 * One answer on its way out. It keeps to the reader's speed, and every wait in it ends at once when
 * the caller leaves, so that a play needs no more than a look at `gone`.
 */
import type { ServerResponse } from 'node:http';
import { systemClock } from '../src/kernel/time.ts';
import type { ReplyHeaders } from './dialect.ts';

/** `cut`: it was the simulator that broke off. */
export type ReplyEnd = 'finished' | 'aborted' | 'cut';

export class Reply {
  readonly #response: ServerResponse;
  readonly #headers: () => ReplyHeaders;
  readonly #waits = new Set<() => void>();
  #encoding: BufferEncoding = 'utf8';
  #gone = false;
  #cut = false;

  /** `headers` go with every answer; the given ones come on top of them. */
  constructor(
    response: ServerResponse,
    options: { headers: () => ReplyHeaders; onEnd: (how: ReplyEnd) => void },
  ) {
    this.#response = response;
    this.#headers = options.headers;
    // A write that comes after the caller has left is no news.
    response.on('error', ignore);
    response.on('close', () => {
      this.#gone = true;
      for (const resume of [...this.#waits]) resume();
      options.onEnd(response.writableFinished && !this.#cut ? 'finished' : this.#cut ? 'cut' : 'aborted');
    });
  }

  get gone(): boolean {
    return this.#gone;
  }

  get opened(): boolean {
    return this.#response.headersSent;
  }

  send(status: number, headers: ReplyHeaders, body: string | Buffer): void {
    const length = Buffer.byteLength(body);
    this.#response.writeHead(status, { ...this.#headers(), 'content-length': String(length), ...headers });
    // As many bytes as characters: it is ASCII, and latin1 is the faster way to write that.
    this.#response.end(body, length === body.length ? 'latin1' : 'utf8');
  }

  sendJson(status: number, body: string, headers: ReplyHeaders = {}): void {
    this.send(status, { 'content-type': 'application/json', ...headers }, body);
  }

  open(headers: ReplyHeaders): void {
    this.#response.writeHead(200, { ...this.#headers(), ...headers });
  }

  /** With a type of its own a stream is of bytes, and the texts of its frames are byte strings. */
  openStream(byteType?: string, headers: ReplyHeaders = {}): void {
    if (byteType !== undefined) this.#encoding = 'latin1';
    const type = byteType ?? 'text/event-stream; charset=utf-8';
    this.open({ 'content-type': type, 'cache-control': 'no-cache', ...headers });
  }

  /** Writes piece after piece; false means that the caller left on the way. */
  async writeAll(pieces: Iterable<string | Buffer>, paceMs = 0): Promise<boolean> {
    let first = true;
    for (const piece of pieces) {
      if (paceMs > 0 && !first) await this.wait(paceMs);
      first = false;
      if (this.#gone) return false;
      if (!this.#response.write(piece, this.#encoding)) await this.#drained();
    }
    return !this.#gone;
  }

  /** Writes a piece and waits until the system has taken it. */
  writeOut(piece: string | Buffer): Promise<void> {
    return this.#suspend((resume) => {
      this.#response.write(piece, this.#encoding, resume);
      return ignore;
    });
  }

  end(): void {
    if (!this.#gone) this.#response.end();
  }

  /** Closes the connection here and now, whatever was promised. */
  cut(): void {
    this.#cut = true;
    this.#response.destroy();
  }

  /** Closes the connection politely, whatever was promised. */
  hangUp(): void {
    this.#cut = true;
    this.#response.socket?.end();
  }

  reset(): void {
    this.#cut = true;
    this.#response.socket?.resetAndDestroy();
  }

  wait(delayMs: number): Promise<void> {
    return this.#suspend((resume) => systemClock.after(delayMs, resume));
  }

  #drained(): Promise<void> {
    return this.#suspend((resume) => {
      this.#response.once('drain', resume);
      return () => this.#response.off('drain', resume);
    });
  }

  #suspend(arm: (resume: () => void) => () => void): Promise<void> {
    if (this.#gone) return Promise.resolve();
    return new Promise((resolve) => {
      const resume = (): void => {
        if (!this.#waits.delete(resume)) return;
        disarm();
        resolve();
      };
      this.#waits.add(resume);
      const disarm = arm(resume);
    });
  }
}

function ignore(): void {}
