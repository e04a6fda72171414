/**
 * Positions in the files of a source, as text: a file and a byte offset. A file is identified by its inode
 * and a digest of its first record, because a rotated file is renamed and later compressed (which changes
 * the inode), and inodes are reused.
 */
export interface FileOffset {
  /** `<inode>-<digest of the first record>`, in base 36. */
  readonly file: string;
  readonly offset: number;
}

export interface FilePosition {
  /** After the last line. */
  readonly at: FileOffset;
  /** Where the lines start that were incomplete at that point. */
  readonly from: FileOffset;
}

const OFFSET = /^([0-9a-z]{1,14}-[0-9a-z]{1,12})\.([0-9a-z]{1,11})$/;

export function printFilePosition(at: FileOffset, from: FileOffset | null): string {
  const text = `${at.file}.${at.offset.toString(36)}`;
  return from === null ? text : `${text}~${from.file}.${from.offset.toString(36)}`;
}

/** Null if the text is not a position. */
export function readFilePosition(text: string): FilePosition | null {
  const [first = '', second, ...more] = text.split('~');
  const at = readOffset(first);
  const from = second === undefined ? at : readOffset(second);
  return at === null || from === null || more.length > 0 ? null : { at, from };
}

function readOffset(text: string): FileOffset | null {
  const match = OFFSET.exec(text);
  if (match === null) return null;
  const offset = Number.parseInt(match[2] as string, 36);
  return Number.isSafeInteger(offset) ? { file: match[1] as string, offset } : null;
}

export function digestOf(file: string): string {
  return file.slice(file.indexOf('-') + 1);
}

/** Compares the places that a read passes with a position. */
export class PositionMark {
  readonly #at: FileOffset;
  #seen = false;

  constructor(at: FileOffset) {
    this.#at = at;
  }

  /** Negative: before the position; positive: after it. A file that was compressed since has another inode. */
  compare({ file, offset }: FileOffset, compressed: boolean): number {
    const isIn = file === this.#at.file || (compressed && digestOf(file) === digestOf(this.#at.file));
    this.#seen ||= isIn;
    if (isIn) return offset - this.#at.offset;
    return this.#seen ? 1 : -1;
  }
}
