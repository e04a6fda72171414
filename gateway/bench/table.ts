/** A table that can be shown on a terminal and in Markdown. Pure. */
export interface Table {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: ReadonlyArray<readonly string[]>;
  readonly notes: readonly string[];
}

export function printTable({ title, head, rows, notes }: Table): string {
  const widths = head.map((_, i) => Math.max(...[head, ...rows].map((row) => row[i]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join('  ');
  return [
    title,
    ...[head, ...rows].map((row) => `  ${line(row)}`),
    ...notes.map((note) => `  ${note}`),
    '',
  ].join('\n');
}

export function markdownTable({ title, head, rows, notes }: Table): string {
  const line = (row: readonly string[]): string => `| ${row.join(' | ')} |`;
  const rule = head.map((_, i) => (i === 0 ? '---' : '---:'));
  return [
    `### ${title}`,
    '',
    ...[head, rule, ...rows].map(line),
    '',
    ...notes.flatMap((note) => [note, '']),
  ].join('\n');
}
