/** Groups rows with the same fault, so that 50,000 of them are one line. Pure. */

export interface TroubledRow {
  readonly row: number;
  readonly reason?: string;
  readonly field: string | null;
  readonly advice: string;
}

export interface RowGroup {
  readonly title: string;
  /** `rows 1-3, 7`. */
  readonly rows: string;
  /** The advice for the first row. */
  readonly advice: string;
}

const RANGES_MAX = 20;

export function groupRows(rows: readonly TroubledRow[]): RowGroup[] {
  const groups = new Map<string, TroubledRow[]>();
  for (const row of rows) {
    const title = [row.reason, row.field].filter((part) => part !== undefined && part !== null).join('  ');
    const group = groups.get(title);
    if (group === undefined) groups.set(title, [row]);
    else group.push(row);
  }
  return [...groups].map(([title, group]) => ({
    title,
    rows: printRanges(group.map(({ row }) => row)),
    advice: group[0]?.advice ?? '',
  }));
}

function printRanges(rows: readonly number[]): string {
  const ranges: Array<{ from: number; to: number }> = [];
  for (const row of rows) {
    const last = ranges.at(-1);
    if (last !== undefined && row === last.to + 1) last.to = row;
    else ranges.push({ from: row, to: row });
  }
  const shown = ranges
    .slice(0, RANGES_MAX)
    .map(({ from, to }) => (from === to ? `${from}` : `${from}-${to}`));
  const left = ranges.slice(RANGES_MAX).reduce((sum, { from, to }) => sum + to - from + 1, 0);
  const rest = left === 0 ? '' : ` and ${left} more (--json lists all)`;
  return `${rows.length === 1 ? 'row' : 'rows'} ${shown.join(', ')}${rest}`;
}
