/** A plain client of the log API, without our client library. */
export interface LogLineSeen {
  readonly content: string;
  readonly podName: string;
  readonly timeStamp: string;
  readonly last: boolean;
  readonly id?: string;
}

export interface LogEventSeen {
  readonly event: string;
  readonly podName?: string;
  readonly state?: string;
  readonly reason?: string;
}

type Seen = LogLineSeen | LogEventSeen;

export class LogReader {
  readonly reply: Response;
  readonly #stop: AbortController;
  readonly #chunks: ReadableStreamDefaultReader<string>;
  #rest = '';
  #lines: Seen[] = [];

  private constructor(reply: Response, stop: AbortController) {
    this.reply = reply;
    this.#stop = stop;
    this.#chunks = (reply.body as ReadableStream<Uint8Array<ArrayBuffer>>)
      .pipeThrough(new TextDecoderStream())
      .getReader();
  }

  static async open(url: string, headers: Record<string, string>): Promise<LogReader> {
    const stop = new AbortController();
    const reply = await fetch(url, { headers, signal: stop.signal });
    if (reply.status !== 200) throw new Error(`${reply.status} ${await reply.text()}`);
    return new LogReader(reply, stop);
  }

  /** The next line of any kind; null at the end. */
  async next(): Promise<Seen | null> {
    while (this.#lines.length === 0) {
      const { done, value } = await this.#chunks.read();
      if (done) return null;
      const lines = (this.#rest + value).split('\n');
      this.#rest = lines.pop() as string;
      this.#lines = lines.map((line) => JSON.parse(line) as Seen);
    }
    return this.#lines.shift() as Seen;
  }

  /** The next log lines, without events. */
  async take(count: number): Promise<LogLineSeen[]> {
    const taken: LogLineSeen[] = [];
    while (taken.length < count) {
      const seen = await this.next();
      if (seen === null) throw new Error(`the stream ended after ${taken.length} of ${count} lines`);
      if ('content' in seen) taken.push(seen);
    }
    return taken;
  }

  async contents(count: number): Promise<string[]> {
    return (await this.take(count)).map(({ content }) => content);
  }

  /** Everything up to the end. */
  async rest(): Promise<Seen[]> {
    const all: Seen[] = [];
    for (let seen = await this.next(); seen !== null; seen = await this.next()) all.push(seen);
    return all;
  }

  /** The next event of a kind, ignoring everything else. */
  async event(name: string): Promise<LogEventSeen> {
    for (;;) {
      const seen = await this.next();
      if (seen === null) throw new Error(`the stream ended without ${name}`);
      if ('event' in seen && seen.event === name) return seen;
    }
  }

  close(): void {
    this.#stop.abort();
  }
}
