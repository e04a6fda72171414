/**
 * A place in the files of a source, as text: which file, and how many bytes into it. A file is known by
 * its inode and a digest of its first record, because a rotated file is renamed and later compressed
 * (another inode), and inodes are used again.
 */
export interface FilePlace {
  /** `<inode>-<digest of the first record>`, in base 36. */
  readonly file: string;
  readonly offset: number;
}

export interface FilePosition {
  /** After the last line. */
  readonly at: FilePlace;
  /** Where the lines begin that were open then. */
  readonly from: FilePlace;
}

const PLACE = /^([0-9a-z]{1,14}-[0-9a-z]{1,12})\.([0-9a-z]{1,11})$/;

export function printPosition(at: FilePlace, from: FilePlace | null): string {
  const text = `${at.file}.${at.offset.toString(36)}`;
  return from === null ? text : `${text}~${from.file}.${from.offset.toString(36)}`;
}

/** Null where the text is no position. */
export function readPosition(text: string): FilePosition | null {
  const [first = '', second, ...more] = text.split('~');
  const at = readPlace(first);
  const from = second === undefined ? at : readPlace(second);
  return at === null || from === null || more.length > 0 ? null : { at, from };
}

function readPlace(text: string): FilePlace | null {
  const match = PLACE.exec(text);
  if (match === null) return null;
  const offset = Number.parseInt(match[2] as string, 36);
  return Number.isSafeInteger(offset) ? { file: match[1] as string, offset } : null;
}

export function digestOf(file: string): string {
  return file.slice(file.indexOf('-') + 1);
}
