/** Reads comma-separated values (RFC 4180) with a header. Pure. */
export type CsvRow = Readonly<Record<string, string>>;

const CELL = /("(?:[^"]|"")*"|[^",\r\n]*)(,|\r?\n|$)/y;

export function readCsv(text: string): CsvRow[] {
  const [header = [], ...lines] = cellsOf(text.replace(/^\uFEFF/, ''));
  return lines
    .filter((line) => line.length > 1 || line[0] !== '')
    .map((line) => Object.fromEntries(header.map((name, i) => [name.trim(), line[i] ?? ''])));
}

function cellsOf(text: string): string[][] {
  const lines: string[][] = [];
  let line: string[] = [];
  CELL.lastIndex = 0;
  while (CELL.lastIndex < text.length) {
    const match = CELL.exec(text);
    if (match === null) break;
    const [, cell = '', end = ''] = match;
    line.push(cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell);
    if (end === ',') continue;
    lines.push(line);
    line = [];
  }
  if (line.length > 0) lines.push([...line, '']);
  return lines;
}
