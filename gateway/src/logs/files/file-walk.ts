/** Walks forward through the files of a source, from one to the next as they are rotated. */

import { LINE_BYTES_MAX } from '../source.ts';
import type { FilePlace } from './file-position.ts';
import { type JoinedLine, RecordJoiner } from './join-records.ts';
import { keyOf, type LogFile } from './log-file.ts';
import { findInode, findLogFile, openFirst, openWhileStill, type SourceFolder } from './source-folder.ts';

const BLOCK_BYTES = 64 * 1024;
const RECORD_BYTES_MAX = LINE_BYTES_MAX + 4096;
const LINE_FEED = 10;

export type OnLine = (line: JoinedLine, place: FilePlace) => void;

export class FileWalk {
  readonly #folder: SourceFolder;
  readonly #joiner = new RecordJoiner();
  #buffer = Buffer.allocUnsafe(BLOCK_BYTES);
  #file: LogFile | null;
  #key: string | null = null;
  #offset: number;
  /** The beginning of a record too long to keep, while the rest of it is passed over. */
  #cut: Buffer | null = null;

  constructor(folder: SourceFolder, start: { file: LogFile | null; offset: number }) {
    this.#folder = folder;
    this.#file = start.file;
    this.#offset = start.offset;
  }

  /** The file it is in, once that has a first record. */
  get key(): string | null {
    return this.#key;
  }

  get path(): string {
    return this.#file?.path ?? '';
  }

  /** Reads one block. False when there was nothing more to read. */
  async readBlock(onLine: OnLine): Promise<boolean> {
    if (this.#file === null) return false;
    const read = await this.#file.read(this.#buffer, this.#offset);
    if (read === 0) return false;
    const bytes = this.#buffer.subarray(0, read);
    if (this.#key === null) this.#key = await keyOf(this.#file);
    const used = this.#key === null ? 0 : this.#records(bytes, onLine);
    this.#offset += used;
    if (used > 0) return true;
    if (read < this.#buffer.length) return false;
    this.#grow(bytes);
    return true;
  }

  /** The writer is gone: what stands without an end is a line all the same. */
  async finish(onLine: OnLine): Promise<void> {
    await this.#finishFile(onLine);
    const place = { file: this.#key ?? '0-0', offset: this.#offset };
    for (const line of this.#joiner.flush(place)) onLine(line, place);
  }

  /** True when the file became shorter than what was read of it: it was emptied and is written anew. */
  async emptied(): Promise<boolean> {
    const size = (await this.#file?.size()) ?? null;
    const key = this.#file !== null && this.#key !== null && size !== null ? await keyOf(this.#file) : null;
    if (size === null || (size >= this.#offset && (key === null || key === this.#key))) return false;
    this.#offset = 0;
    this.#key = null;
    this.#joiner.reset();
    return true;
  }

  /**
   * Goes on to the next file if this one is no longer the newest. `left` is told the last lines of this
   * one: they are read twice to the end, because a writer may hold a renamed file for a moment.
   */
  async moveOn(onLine: OnLine): Promise<boolean> {
    const next = await this.#next();
    if (next === null) return false;
    for (let ends = 0; ends < 2; ) if (!(await this.readBlock(onLine))) ends++;
    await this.#finishFile(onLine);
    await this.#file?.close();
    this.#file = next;
    this.#key = null;
    this.#offset = 0;
    return true;
  }

  async close(): Promise<void> {
    await this.#file?.close();
    this.#file = null;
  }

  async #next(): Promise<LogFile | null> {
    const { root } = this.#folder;
    const { file } = await openWhileStill(this.#folder, async (files) => {
      // Where it is not to be found it is gone, and those left are all newer: the oldest go first.
      const at = this.#file === null ? -1 : await this.#indexIn(files, this.#file);
      return { file: (await openFirst(files.slice(at + 1), root))?.file ?? null };
    });
    return file;
  }

  /** Nobody else can have its inode while it is open. */
  async #indexIn(files: readonly string[], file: LogFile): Promise<number> {
    const at = await findInode(files, file.inode);
    if (at >= 0 || this.#key === null) return at;
    return await findLogFile(files, this.#key, this.#folder.root);
  }

  /** A last record without its line feed. */
  async #finishFile(onLine: OnLine): Promise<void> {
    if (this.#file === null) return;
    let length = 0;
    for (let read = 1; read > 0 && length < this.#buffer.length; length += read)
      read = await this.#file.read(this.#buffer.subarray(length), this.#offset + length);
    if (length === 0) return;
    this.#key ??= `${this.#file.inode.toString(36)}-0`;
    const place = { file: this.#key, offset: this.#offset + length };
    this.#recordOrCut(this.#buffer, { start: 0, end: length }, place, onLine);
    this.#offset += length;
  }

  /** How many bytes were whole records. */
  #records(bytes: Buffer, onLine: OnLine): number {
    let start = 0;
    for (let end = bytes.indexOf(LINE_FEED); end >= 0; end = bytes.indexOf(LINE_FEED, start)) {
      const place = { file: this.#key as string, offset: this.#offset + end + 1 };
      this.#recordOrCut(bytes, { start, end }, place, onLine);
      start = end + 1;
    }
    return start;
  }

  #recordOrCut(bytes: Buffer, range: { start: number; end: number }, next: FilePlace, onLine: OnLine): void {
    const cut = this.#cut;
    this.#cut = null;
    const at = { file: next.file, offset: this.#offset + range.start };
    const line =
      cut === null
        ? this.#joiner.push(bytes, range, at, next)
        : this.#joiner.push(cut, { start: 0, end: cut.length }, at, next);
    if (line !== null) onLine(line, next);
  }

  /** A record longer than the buffer: a larger buffer, and in the end only its beginning. */
  #grow(bytes: Buffer): void {
    if (this.#cut === null && this.#buffer.length < RECORD_BYTES_MAX) {
      this.#buffer = Buffer.allocUnsafe(Math.min(RECORD_BYTES_MAX, this.#buffer.length * 4));
      return;
    }
    this.#cut ??= Buffer.from(bytes);
    this.#offset += bytes.length;
  }
}
