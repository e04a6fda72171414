/**
 * Lays out rows as aligned columns. On a terminal the table fits its width: long cells are cut, and then the last columns
 * are left out. Anywhere else nothing is cut. Pure.
 */

export interface TableOptions {
  /** The columns of the terminal; null: any width. */
  readonly width: number | null;
  /** Colours a cell; the text is already padded. */
  readonly paint?: (text: string, at: { column: string; isHeader: boolean }) => string;
}

const GAP = '  ';
const CUT = '…';
/** A cell is not cut to less than this while a column can be left out instead. */
const CELL_WIDTH_MIN = 16;
/** As the API writes a time. */
const KST_TIME = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}):\d{2}\+09:00$/;

export type Row = Readonly<Record<string, unknown>>;

/** The lines of the table, with a header. `columns` begins with the most important ones: the last may be left out. */
export function tableLines(
  rows: readonly Row[],
  columns: readonly string[],
  { width, paint = (text) => text }: TableOptions,
): string[] {
  const written = width === null ? cellText : shortText;
  const header = columns.map((name) => name.toUpperCase());
  const cells = [header, ...rows.map((row) => columns.map((name) => written(row[name])))];
  const natural = columns.map((_, i) => Math.max(...cells.map((line) => displayWidth(line[i] ?? ''))));
  const widths = width === null ? natural : fitted(natural, columns, width);
  return cells.map((line, number) =>
    widths
      .map((columnWidth, i) => {
        const at = { column: columns[i] as string, isHeader: number === 0 };
        const shown = cut(line[i] as string, columnWidth);
        const isLast = i === widths.length - 1;
        return paint(shown, at) + (isLast ? '' : ' '.repeat(columnWidth - displayWidth(shown)));
      })
      .join(GAP)
      .trimEnd(),
  );
}

export function cellText(value: unknown): string {
  if (value === null || value === undefined || value === '') return '-';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.map(cellText).join(', ');
  if (typeof value === 'object') return JSON.stringify(value);
  // A control character could move the cursor of the terminal.
  return String(value).replaceAll(/\p{Cc}/gu, ' ');
}

/** For people: a time to the minute. */
function shortText(value: unknown): string {
  return cellText(value).replace(KST_TIME, '$1 $2');
}

/** The widths of as many columns as fit. */
function fitted(natural: readonly number[], columns: readonly string[], width: number): number[] {
  for (let count = natural.length; count > 1; count--) {
    const widths = narrowed(natural.slice(0, count), columns, width, CELL_WIDTH_MIN);
    if (totalOf(widths) <= width) return widths;
  }
  return narrowed(natural.slice(0, 1), columns, width, 1);
}

/** Takes width from the widest columns first. Ids stay whole, because they are copied. */
function narrowed(
  natural: readonly number[],
  columns: readonly string[],
  width: number,
  least: number,
): number[] {
  const widths = [...natural];
  for (let excess = totalOf(widths) - width; excess > 0; excess--) {
    const cuttable = widths.map((one, i) => (/(?:^|_)id$/.test(columns[i] as string) ? 0 : one));
    const widest = cuttable.indexOf(Math.max(...cuttable));
    if ((cuttable[widest] as number) <= least) break;
    widths[widest] = (widths[widest] as number) - 1;
  }
  return widths;
}

function totalOf(widths: readonly number[]): number {
  return widths.reduce((sum, one) => sum + one, 0) + GAP.length * (widths.length - 1);
}

function cut(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let shown = '';
  let used = 0;
  for (const character of text) {
    used += displayWidth(character);
    if (used > width - CUT.length) break;
    shown += character;
  }
  return `${shown}${CUT}`;
}

/** Hangul, Han, Kana and emoji take two columns; combining marks take none. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|[\u{20000}-\u{3fffd}]/u;

export function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) {
    if (/\p{Mn}|\p{Me}|\p{Cf}/u.test(character)) continue;
    width += WIDE.test(character) ? 2 : 1;
  }
  return width;
}
