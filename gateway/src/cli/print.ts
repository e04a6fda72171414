/** How commands print: aligned columns for people, JSON and CSV for programs. */
import { styleText } from 'node:util';
import { cellText, displayWidth, layOutTable, type Row, wrapText } from './table.ts';

interface Output {
  readonly json?: boolean | undefined;
}

interface RowsOutput extends Output {
  /** What is printed when there are no rows. */
  readonly empty: string;
  /** Default: the fields of the first row. */
  readonly columns?: readonly string[];
  /** Nothing is cut, however narrow the terminal is. */
  readonly wide?: boolean;
  /** The option that shows what was cut. Default: --json. */
  readonly wideOption?: string;
}

export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

/** A list of rows. On a terminal the table fits its width. */
export function printRows(rows: readonly Row[], options: RowsOutput): void {
  if (options.json) {
    printJson(rows);
    return;
  }
  const [first] = rows;
  if (first === undefined) {
    process.stdout.write(`${options.empty}\n`);
    return;
  }
  const width = options.wide ? null : terminalWidth();
  const { lines, leftOut } = layOutTable(rows, options.columns ?? Object.keys(first), {
    width,
    paint: paintCell,
  });
  process.stdout.write(`${lines.join('\n')}\n`);
  if (leftOut.length > 0)
    process.stderr.write(
      `The terminal is too narrow for ${leftOut.join(', ')}: ${options.wideOption ?? '--json'} shows everything.\n`,
    );
}

/** Null: there is no terminal, or it does not say how wide it is. */
export function terminalWidth(): number | null {
  return (process.stdout.isTTY && process.stdout.columns) || null;
}

type Style = 'bold' | 'green' | 'yellow' | 'red';

const STATE_COLUMNS = ['state', 'status', 'settlement'];
const STATE_STYLES: Readonly<Record<string, Style>> = {
  active: 'green',
  completed: 'green',
  succeeded: 'green',
  settled: 'green',
  disabled: 'yellow',
  expired: 'yellow',
  partial: 'yellow',
  cancelled: 'yellow',
  revoked: 'red',
  failed: 'red',
  rejected: 'red',
  quarantined: 'red',
};

function paintCell(text: string, { column, isHeader }: { column: string; isHeader: boolean }): string {
  if (isHeader) return inStyle('bold', text);
  const style = STATE_COLUMNS.includes(column) ? STATE_STYLES[text] : undefined;
  return style === undefined ? text : inStyle(style, text);
}

/** Colour on a terminal only, and not with NO_COLOR. */
export function inStyle(style: Style, text: string): string {
  return styleText(style, text, { stream: process.stdout });
}

/** One thing, a field per line. */
export function printFields(fields: Row, options: Output = {}): void {
  if (options.json) {
    printJson(fields);
    return;
  }
  const width = Math.max(...Object.keys(fields).map(displayWidth));
  for (const [name, value] of Object.entries(fields)) {
    const wrapped = wrapText(cellText(value), { width: terminalWidth(), indent: width + 2 });
    const text = paintCell(wrapped, { column: name, isHeader: false });
    process.stdout.write(`${inStyle('bold', name)}${' '.repeat(width - displayWidth(name))}  ${text}\n`);
  }
}
