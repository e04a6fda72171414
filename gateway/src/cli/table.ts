/** Lays out rows as aligned columns. On a terminal the table fits its width; anywhere else nothing is cut. Pure. */

export interface TableOptions {
  /** The columns of the terminal; null: any width. */
  readonly width: number | null;
  /** Colours a cell; the text is already padded. */
  readonly paint?: (text: string, at: { column: string; isHeader: boolean }) => string;
}

const GAP = '  ';
const CUT = '…';
/** A column is not cut to less than this. */
const COLUMN_WIDTH_MIN = 6;

export type Row = Readonly<Record<string, unknown>>;

/** The lines of the table, with a header. */
export function tableLines(
  rows: readonly Row[],
  columns: readonly string[],
  { width, paint = (text) => text }: TableOptions,
): string[] {
  const header = columns.map((name) => name.toUpperCase());
  const cells = [header, ...rows.map((row) => columns.map((name) => cellText(row[name])))];
  const natural = columns.map((_, i) => Math.max(...cells.map((line) => displayWidth(line[i] ?? ''))));
  const widths = width === null ? natural : fitted(natural, columns, width);
  return cells.map((line, number) =>
    line
      .map((text, i) => {
        const at = { column: columns[i] as string, isHeader: number === 0 };
        const shown = cut(text, widths[i] as number);
        const isLast = i === columns.length - 1;
        return paint(shown, at) + (isLast ? '' : ' '.repeat((widths[i] as number) - displayWidth(shown)));
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

/** Takes width from the widest columns first. Ids stay whole, because they are copied. */
function fitted(natural: readonly number[], columns: readonly string[], width: number): number[] {
  const widths = [...natural];
  const room = width - GAP.length * (widths.length - 1);
  let excess = widths.reduce((sum, one) => sum + one, 0) - room;
  while (excess > 0) {
    const widest = widestOf(widths, columns);
    if (widest === null) break;
    widths[widest] = (widths[widest] as number) - 1;
    excess--;
  }
  return widths;
}

/** Null when no column can be cut further. */
function widestOf(widths: readonly number[], columns: readonly string[]): number | null {
  let found: number | null = null;
  for (const [i, width] of widths.entries()) {
    if (width <= COLUMN_WIDTH_MIN || /(?:^|_)id$/.test(columns[i] as string)) continue;
    if (found === null || width > (widths[found] as number)) found = i;
  }
  return found;
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
