/** How commands print: aligned columns for people, JSON for programs. */

export type Row = Readonly<Record<string, unknown>>;

interface Output {
  readonly json?: boolean | undefined;
}

export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

/** A list of rows, or `empty` when there are none. */
export function printRows(rows: readonly Row[], options: Output & { empty: string }): void {
  if (options.json) {
    printJson(rows);
    return;
  }
  const [first] = rows;
  if (first === undefined) {
    process.stdout.write(`${options.empty}\n`);
    return;
  }
  const columns = Object.keys(first);
  const cells = [
    columns.map((name) => name.toUpperCase()),
    ...rows.map((row) => columns.map((name) => cell(row[name]))),
  ];
  const widths = columns.map((_, i) => Math.max(...cells.map((line) => (line[i] ?? '').length)));
  for (const line of cells) {
    process.stdout.write(
      `${line
        .map((text, i) => text.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd()}\n`,
    );
  }
}

/** Comma-separated values with a header, quoted where needed (RFC 4180). */
export function printCsv(rows: readonly Row[], columns: readonly string[]): void {
  const lines = [columns, ...rows.map((row) => columns.map((name) => String(row[name] ?? '')))];
  for (const line of lines) process.stdout.write(`${line.map(csvField).join(',')}\r\n`);
}

function csvField(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** One thing, a field per line. */
export function printFields(fields: Row, options: Output = {}): void {
  if (options.json) {
    printJson(fields);
    return;
  }
  const width = Math.max(...Object.keys(fields).map((name) => name.length));
  for (const [name, value] of Object.entries(fields))
    process.stdout.write(`${name.padEnd(width)}  ${cell(value)}\n`);
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return String(value);
}
