/**
 * Makes records durable on the local disk before they are in the database. A record that was appended survives a power
 * cut and is found at the next start, until it is released: until it is durable in the database. The file consists of
 * segments. A segment is removed when all its records are released.
 *
 * One append at a time, and each waits for the disk. So the acknowledged records of a segment are always its beginning,
 * and reading stops at the first record that is not whole.
 */
import { MINUTE_MS } from '../kernel/durations.ts';
import type { Clock } from '../kernel/time.ts';
import { DatabaseUnavailable } from './database.ts';
import type { SegmentFile, WriteAheadDisk } from './write-ahead-disk.ts';
import {
  HEAD_BYTES,
  newHead,
  RECORD_HEAD_BYTES,
  readSegment,
  recordBytes,
  type WriteAheadRecord,
} from './write-ahead-segment.ts';

/** Segments have their full size from the start, so that an append changes no size and needs no second write. */
const FIRST_SEGMENT_BYTES = 256 * 1024;
const SEGMENT_BYTES_MAX = 4 * 1024 * 1024;
/**
 * No segment is written to for longer, and none stays for longer after the database has all its records. So a crash never
 * leaves calls that retention has removed from the database since.
 */
export const SEGMENT_MS_MAX = 10 * MINUTE_MS;
const SEGMENT_NAME = /^\d{10}\.wal$/;

interface OpenSegment {
  readonly name: string;
  readonly file: SegmentFile;
  readonly seed: number;
  readonly bytesMax: number;
  readonly createdMs: number;
  /** Where the next record begins. */
  end: number;
}

export interface WriteAheadOptions {
  readonly disk: WriteAheadDisk;
  readonly clock: Clock;
  /** Of each segment. By default the first is small and the next ones are larger. */
  readonly segmentBytes?: number;
}

export class WriteAheadFile {
  readonly #options: WriteAheadOptions;
  readonly #disk: WriteAheadDisk;
  #open: OpenSegment | null = null;
  /** The last sequence number in each segment that still exists, in the order of their creation. */
  readonly #segments = new Map<string, number>();
  #segmentNumber = 0;
  #segmentBytes: number;
  #sequence = 0;
  #released = 0;
  #appending = false;

  constructor(options: WriteAheadOptions) {
    this.#options = options;
    this.#disk = options.disk;
    this.#segmentBytes = options.segmentBytes ?? FIRST_SEGMENT_BYTES;
  }

  /** What earlier runs left, oldest first. To be called once, before anything is appended. */
  async recover(): Promise<WriteAheadRecord[]> {
    const names = (await this.#disk.list()).filter((name) => SEGMENT_NAME.test(name)).sort();
    const found: WriteAheadRecord[] = [];
    for (const name of names) {
      const records = readSegment(await this.#disk.read(name));
      // With new numbers: a segment after a failed write repeats some.
      for (const { payload } of records) found.push({ sequence: ++this.#sequence, payload });
      this.#segments.set(name, this.#sequence);
      this.#segmentNumber = Number.parseInt(name, 10);
    }
    return found;
  }

  /**
   * Resolves to the sequence number of the record when it is durable. Rejects with `DatabaseUnavailable`: the record may
   * or may not be found later, and has to be appended again.
   */
  async append(payload: string): Promise<number> {
    const sequence = this.#sequence + 1;
    this.#appending = true;
    try {
      const segment = await this.#segmentFor(Buffer.byteLength(payload));
      const bytes = recordBytes({ sequence, payload }, segment.seed);
      await segment.file.write(bytes, segment.end);
      segment.end += bytes.length;
      this.#segments.set(segment.name, sequence);
    } catch (error) {
      // After a failed write nobody knows which bytes are on the disk, and a later success would not tell either:
      // the system may have dropped the bytes that it could not write. So nothing is written after them.
      await this.#closeSegment();
      throw new DatabaseUnavailable(`the write-ahead file cannot be written: ${messageOf(error)}`, {
        cause: error,
      });
    } finally {
      this.#appending = false;
    }
    this.#sequence = sequence;
    return sequence;
  }

  /** Records up to this number are durable in the database. A segment that cannot be removed is removed later. */
  async release(sequence: number): Promise<void> {
    this.#released = Math.max(this.#released, sequence);
    for (const [name, last] of this.#segments) {
      if (name === this.#open?.name || last > this.#released) continue;
      if (await this.#remove(name)) this.#segments.delete(name);
    }
  }

  /** Removes the segment that is written to, if all its records are released. */
  async retire(): Promise<void> {
    if (!this.#appending && this.#released === this.#sequence) await this.#closeSegment();
  }

  /** Leaves only segments with records that are not released. */
  async close(): Promise<void> {
    await this.#closeSegment();
    await this.release(this.#released);
  }

  async #segmentFor(payloadBytes: number): Promise<OpenSegment> {
    const needed = payloadBytes + RECORD_HEAD_BYTES;
    const open = this.#open;
    if (open !== null && open.end + needed <= open.bytesMax && this.#ageMs(open) < SEGMENT_MS_MAX)
      return open;
    await this.#closeSegment();
    const bytesMax = Math.max(this.#segmentBytes, HEAD_BYTES + needed);
    const name = `${String(++this.#segmentNumber).padStart(10, '0')}.wal`;
    const head = newHead();
    const bytes = Buffer.alloc(bytesMax);
    head.bytes.copy(bytes);
    const file = await this.#disk.create(name, bytes).catch((error: unknown) => {
      // Something of it may exist all the same, and is removed with the others.
      this.#segments.set(name, this.#sequence);
      throw error;
    });
    const createdMs = this.#options.clock.elapsedMs();
    this.#open = { name, file, seed: head.seed, bytesMax, createdMs, end: HEAD_BYTES };
    this.#segments.set(name, this.#sequence);
    if (this.#options.segmentBytes === undefined) this.#segmentBytes = SEGMENT_BYTES_MAX;
    return this.#open;
  }

  #ageMs({ createdMs }: OpenSegment): number {
    return this.#options.clock.elapsedMs() - createdMs;
  }

  async #closeSegment(): Promise<void> {
    const open = this.#open;
    this.#open = null;
    await open?.file.close().catch(() => undefined);
    await this.release(this.#released);
  }

  async #remove(name: string): Promise<boolean> {
    try {
      await this.#disk.remove(name);
      return true;
    } catch {
      return false;
    }
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
