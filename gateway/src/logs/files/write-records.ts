/**
 * Writes a container log as a container runtime does: one record per line, long lines in parts, a new file
 * when one is full. Lines that cannot be written are dropped and counted; callers never wait.
 */
import { appendFile, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, isoOf } from '../../kernel/time.ts';

export interface RecordWriterOptions {
  readonly folder: string;
  readonly restart: number;
  readonly clock: Clock;
  readonly fileBytesMax?: number;
  /** Rotated files to keep. */
  readonly filesMax?: number;
}

const PART_BYTES = 16 * 1024;
const FILE_BYTES_MAX = 10 * 1024 * 1024;
const FILES_MAX = 4;
const WAITING_BYTES_MAX = 1024 * 1024;

export class RecordWriter {
  readonly #options: RecordWriterOptions;
  readonly #file: string;
  #waiting: string[] = [];
  #waitingBytes = 0;
  #dropped = 0;
  #size: number | null = null;
  #writing: Promise<void> | null = null;
  #rotations = 0;

  constructor(options: RecordWriterOptions) {
    this.#options = options;
    this.#file = join(options.folder, `${options.restart}.log`);
  }

  write(text: string, stream: 'stdout' | 'stderr' = 'stdout'): void {
    const time = isoOf(this.#options.clock.now()).replace('Z', '000000Z');
    for (const line of text.replace(/\n$/, '').split('\n')) this.#add(recordsOf(line, time, stream));
    this.#writing ??= this.#drain().finally(() => {
      this.#writing = null;
    });
  }

  /** Resolves when all lines are in the file. */
  async flush(): Promise<void> {
    while (this.#writing !== null) await this.#writing;
  }

  #add(records: string): void {
    if (this.#waitingBytes + records.length > WAITING_BYTES_MAX) {
      this.#dropped++;
      return;
    }
    this.#waiting.push(records);
    this.#waitingBytes += records.length;
  }

  async #drain(): Promise<void> {
    // Lines of the same event-loop turn are written together.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const text = this.#waiting.join('');
      this.#waiting = [];
      this.#waitingBytes = 0;
      try {
        await this.#append(text);
      } catch {
        // A full disk must not stop the gateway. The number of dropped lines is written later.
        this.#dropped++;
        this.#size = null;
      }
    }
  }

  async #append(text: string): Promise<void> {
    if (this.#size === null) {
      await mkdir(this.#options.folder, { recursive: true });
      this.#size = await stat(this.#file).then(
        ({ size }) => size,
        () => 0,
      );
    }
    if (this.#size > 0 && this.#size + text.length > (this.#options.fileBytesMax ?? FILE_BYTES_MAX))
      await this.#rotate();
    const note = this.#dropped === 0 ? '' : this.#noteDropped();
    await appendFile(this.#file, note + text);
    this.#size = (this.#size ?? 0) + Buffer.byteLength(note) + Buffer.byteLength(text);
  }

  #noteDropped(): string {
    const time = isoOf(this.#options.clock.now()).replace('Z', '000000Z');
    const note = recordsOf(`${this.#dropped} lines could not be written`, time, 'stderr');
    this.#dropped = 0;
    return note;
  }

  async #rotate(): Promise<void> {
    const { folder, restart, clock, filesMax = FILES_MAX } = this.#options;
    const at = isoOf(clock.now()).replace(/[-:]/g, '').replace('T', '-').slice(0, 15);
    // Two files of the same second keep their order.
    const mark = `${at}-${String(this.#rotations++).padStart(6, '0')}`;
    await rename(this.#file, `${this.#file}.${mark}`);
    this.#size = 0;
    const old = (await readdir(folder)).filter((name) => name.startsWith(`${restart}.log.`)).sort();
    for (const name of old.slice(0, Math.max(0, old.length - filesMax))) await rm(join(folder, name));
  }
}

/** A long line is written in parts, split between characters. */
export function recordsOf(line: string, time: string, stream: 'stdout' | 'stderr'): string {
  if (line.length * 3 <= PART_BYTES) return `${time} ${stream} F ${line}\n`;
  const bytes = Buffer.from(line);
  let records = '';
  for (let from = 0; ; ) {
    let to = Math.min(bytes.length, from + PART_BYTES);
    while (to < bytes.length && ((bytes[to] as number) & 0xc0) === 0x80) to--;
    const last = to === bytes.length;
    records += `${time} ${stream} ${last ? 'F' : 'P'} ${bytes.toString('utf8', from, to)}\n`;
    if (last) return records;
    from = to;
  }
}
