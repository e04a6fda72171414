/** The lines of a build log, and links to them. Pure. */

export interface BuildLine {
  /** Its number, from 1. */
  readonly place: number;
  readonly text: string;
}

export function readBuildLog(text: string): BuildLine[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.map((line, i) => ({ place: i + 1, text: line }));
}

/** The number in `L120`; null if there is none. */
export function readLineHash(hash: string): number | null {
  const match = /^#?L(\d{1,9})$/.exec(hash);
  return match === null ? null : Number(match[1]);
}
