/** Reads forward through the files of a source, from one to the next as they are rotated. */

import { LINE_BYTES_MAX } from '../source.ts';
import type { FileOffset } from './file-position.ts';
import { type JoinedLine, RecordJoiner } from './join-records.ts';
import { keyOf, type LogFile } from './log-file.ts';
import { findInode, findLogFile, openFirst, openUnchanged, type SourceFolder } from './source-folder.ts';

const BLOCK_BYTES = 64 * 1024;
const RECORD_BYTES_MAX = LINE_BYTES_MAX + 4096;
const LINE_FEED = 10;

export type OnLine = (line: JoinedLine, end: FileOffset) => void;

export class FileWalk {
  readonly #folder: SourceFolder;
  readonly #onLine: OnLine;
  readonly #joiner = new RecordJoiner();
  #buffer = Buffer.allocUnsafe(BLOCK_BYTES);
  #file: LogFile | null;
  #key: string | null = null;
  /** The key of the last file before this one that had a record. */
  #keyBefore: string | null = null;
  #offset: number;
  /** The start of a record that is too long, while its rest is skipped. */
  #cut: Buffer | null = null;

  constructor(
    folder: SourceFolder,
    start: { readonly file: LogFile | null; readonly offset: number },
    onLine: OnLine,
  ) {
    this.#folder = folder;
    this.#onLine = onLine;
    this.#file = start.file;
    this.#offset = start.offset;
  }

  get path(): string {
    return this.#file?.path ?? '';
  }

  /** Reads one block. False: there was nothing more to read. */
  async readBlock(): Promise<boolean> {
    if (this.#file === null) return false;
    const read = await this.#file.read(this.#buffer, this.#offset);
    if (read === 0) return false;
    const bytes = this.#buffer.subarray(0, read);
    if (this.#key === null) this.#key = await keyOf(this.#file);
    const used = this.#key === null ? 0 : this.#records(bytes);
    this.#offset += used;
    if (used > 0) return true;
    if (read < this.#buffer.length) return false;
    this.#grow(bytes);
    return true;
  }

  /** The writer is gone: incomplete lines are returned as they are. */
  async finish(): Promise<void> {
    await this.#finishFile();
    const end = { file: this.#key ?? '0-0', offset: this.#offset };
    for (const line of this.#joiner.flush(end)) this.#onLine(line, end);
  }

  /** Whether the file was truncated: it is shorter than what was read, or has another first record. */
  async wasTruncated(): Promise<boolean> {
    const size = (await this.#file?.size()) ?? null;
    const key = this.#file !== null && this.#key !== null && size !== null ? await keyOf(this.#file) : null;
    if (size === null || (size >= this.#offset && (key === null || key === this.#key))) return false;
    this.#offset = 0;
    this.#key = null;
    this.#joiner.reset();
    return true;
  }

  /**
   * Continues with the next file if there is a newer one. The old file is read to its end twice,
   * because a writer may keep a renamed file open for a moment.
   */
  async nextFile(): Promise<boolean> {
    const next = await this.#openNext();
    if (next === null) return false;
    for (let ends = 0; ends < 2; ) if (!(await this.readBlock())) ends++;
    await this.#finishFile();
    await this.#file?.close();
    this.#file = next;
    this.#keyBefore = this.#key ?? this.#keyBefore;
    this.#key = null;
    this.#offset = 0;
    return true;
  }

  async close(): Promise<void> {
    await this.#file?.close();
    this.#file = null;
  }

  async #openNext(): Promise<LogFile | null> {
    const { root } = this.#folder;
    const { file } = await openUnchanged(this.#folder, async (files) => {
      // If it is not found it was deleted, and all remaining files are newer.
      const at = this.#file === null ? -1 : await this.#indexIn(files, this.#file);
      return { file: (await openFirst(files.slice(at + 1), root))?.file ?? null };
    });
    return file;
  }

  /** While it is open no other file can have its inode. */
  async #indexIn(files: readonly string[], file: LogFile): Promise<number> {
    const at = await findInode(files, file.inode);
    if (at >= 0) return at;
    // It was compressed or deleted, so it is complete; it may have been empty when it was last read.
    this.#key ??= await keyOf(file);
    const key = this.#key ?? this.#keyBefore;
    return key === null ? -1 : await findLogFile(files, key, this.#folder.root);
  }

  /** The last record may have no line feed. */
  async #finishFile(): Promise<void> {
    if (this.#file === null) return;
    let length = 0;
    for (let read = 1; read > 0 && length < this.#buffer.length; length += read)
      read = await this.#file.read(this.#buffer.subarray(length), this.#offset + length);
    if (length === 0) return;
    this.#key ??= `${this.#file.inode.toString(36)}-0`;
    const end = { file: this.#key, offset: this.#offset + length };
    this.#recordOrCut(this.#buffer, { start: 0, end: length }, end);
    this.#offset += length;
  }

  /** Returns the number of bytes in complete records. */
  #records(bytes: Buffer): number {
    let start = 0;
    for (let end = bytes.indexOf(LINE_FEED); end >= 0; end = bytes.indexOf(LINE_FEED, start)) {
      const next = { file: this.#key as string, offset: this.#offset + end + 1 };
      this.#recordOrCut(bytes, { start, end }, next);
      start = end + 1;
    }
    return start;
  }

  #recordOrCut(bytes: Buffer, range: { start: number; end: number }, next: FileOffset): void {
    const cut = this.#cut;
    this.#cut = null;
    const at = { file: next.file, offset: this.#offset + range.start };
    const line =
      cut === null
        ? this.#joiner.push(bytes, range, at, next)
        : this.#joiner.push(cut, { start: 0, end: cut.length }, at, next);
    if (line !== null) this.#onLine(line, next);
  }

  /** For a record longer than the buffer: enlarges the buffer, or keeps only the start of the record. */
  #grow(bytes: Buffer): void {
    if (this.#cut === null && this.#buffer.length < RECORD_BYTES_MAX) {
      this.#buffer = Buffer.allocUnsafe(Math.min(RECORD_BYTES_MAX, this.#buffer.length * 4));
      return;
    }
    this.#cut ??= Buffer.from(bytes);
    this.#offset += bytes.length;
  }
}
