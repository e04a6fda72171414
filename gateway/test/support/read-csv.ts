/** Reads comma-separated values by RFC 4180, and nothing that is not well-formed. */
export function readCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  const field = /("(?:[^"]|"")*"|[^",\r\n]*)(,|\r\n)/y;
  while (field.lastIndex < text.length) {
    const found = field.exec(text);
    if (found === null) throw new Error(`not RFC 4180 at ${JSON.stringify(text.slice(0, 80))}`);
    const [, cell = '', end] = found;
    row.push(cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell);
    if (end === ',') continue;
    rows.push(row);
    row = [];
  }
  return rows;
}
