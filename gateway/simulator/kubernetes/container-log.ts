/** The log of one run of a container, as a kubelet keeps and reads it. */

export interface LogRecord {
  readonly time: string;
  readonly stream: 'stdout' | 'stderr';
  readonly tag: 'P' | 'F';
  readonly text: string;
}

/** One file; when it is full the next takes its place. */
interface LogFile {
  readonly records: LogRecord[];
  next: LogFile | null;
}

export interface LogAsk {
  readonly sinceTime: string | null;
  readonly tailLines: number | null;
  readonly timestamps: boolean;
}

export class RunLog {
  #current: LogFile = { records: [], next: null };
  ended = false;
  readonly #listeners = new Set<() => void>();

  write(record: LogRecord): void {
    this.#current.records.push(record);
    this.#tell();
  }

  /** What was before is in a file that is read no more. */
  rotate(): void {
    const file: LogFile = { records: [], next: null };
    this.#current.next = file;
    this.#current = file;
    this.#tell();
  }

  end(): void {
    this.ended = true;
    this.#tell();
  }

  /** Reads the current file; `onChange` is told of changes until it is stopped. */
  open(ask: LogAsk): RunReader {
    return new RunReader(this, this.#current, ask);
  }

  get followed(): boolean {
    return this.#listeners.size > 0;
  }

  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

export class RunReader {
  readonly #log: RunLog;
  readonly #ask: LogAsk;
  #file: LogFile;
  #at: number;
  #atLineStart = true;

  constructor(log: RunLog, file: LogFile, ask: LogAsk) {
    this.#log = log;
    this.#file = file;
    this.#ask = ask;
    // Records are counted, parts of lines among them, and before times are looked at.
    this.#at = ask.tailLines === null ? 0 : Math.max(0, file.records.length - ask.tailLines);
  }

  /** What can be read now. `stalls`: a file that was rotated is not left. */
  take(stalls: boolean): string {
    let text = '';
    for (;;) {
      for (; this.#at < this.#file.records.length; this.#at++)
        text += this.#written(this.#file.records[this.#at] as LogRecord);
      if (this.#file.next === null || stalls) return text;
      this.#file = this.#file.next;
      this.#at = 0;
    }
  }

  get over(): boolean {
    return this.#log.ended;
  }

  /** A time stands only before the first part of a line; the parts of a line stand on one. */
  #written({ time, tag, text }: LogRecord): string {
    if (this.#ask.sinceTime !== null && time < this.#ask.sinceTime) return '';
    const head = this.#ask.timestamps && this.#atLineStart ? `${time} ` : '';
    this.#atLineStart = tag === 'F';
    return `${head}${text}${tag === 'F' ? '\n' : ''}`;
  }
}
