/** Parses CSV with a header line (RFC 4180): quotes, doubled quotes, line breaks inside quotes. Pure. */

/** `message` says which line is wrong and why. */
export class CsvError extends Error {
  override readonly name = 'CsvError';
}

export interface CsvRow {
  /** Where it begins in the file, from 1. */
  readonly line: number;
  readonly cells: Readonly<Record<string, string>>;
}

interface RawRow {
  readonly line: number;
  readonly cells: string[];
}

export function parseCsv(text: string): { header: readonly string[]; rows: readonly CsvRow[] } {
  const [first, ...rest] = rawRows(text.replace(/^\uFEFF/, ''));
  const header = (first?.cells ?? []).map((name) => name.trim());
  const rows = rest.map(({ line, cells }) => {
    if (cells.length !== header.length)
      throw new CsvError(`line ${line}: has ${cells.length} cells, but the header has ${header.length}`);
    return { line, cells: Object.fromEntries(header.map((name, i) => [name, (cells[i] as string).trim()])) };
  });
  return { header, rows };
}

/** A cell is quoted or not; the mark after it says whether the row goes on. Empty lines are left out. */
function rawRows(text: string): RawRow[] {
  const rows: RawRow[] = [];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/y;
  let row: RawRow = { line: 1, cells: [] };
  let line = 1;
  while (cell.lastIndex < text.length) {
    const match = cell.exec(text);
    if (match === null) throw new CsvError(`line ${line}: a quote is not closed, or stands inside a cell`);
    const [whole, quoted, plain = '', mark] = match;
    row.cells.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    line += whole.split('\n').length - 1;
    if (mark === ',' && cell.lastIndex < text.length) continue;
    if (mark === ',') row.cells.push('');
    if (row.cells.some((one) => one.trim() !== '')) rows.push(row);
    row = { line, cells: [] };
  }
  return rows;
}
