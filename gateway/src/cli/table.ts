/**
 * Lays out rows as aligned columns. On a terminal the table fits its width: headers are stacked, long cells are cut, and then
 * the last columns are left out. Anywhere else nothing is cut. Pure.
 */

export interface TableOptions {
  /** The columns of the terminal; null: any width. */
  readonly width: number | null;
  /** Colours a cell; the text is already padded. */
  readonly paint?: (text: string, at: { column: string; isHeader: boolean }) => string;
}

export interface Table {
  /** With a header. */
  readonly lines: readonly string[];
  /** The columns that did not fit, although they have values. */
  readonly leftOut: readonly string[];
}

const GAP = '  ';
const CUT = '…';
const EMPTY = '-';
/** A cell is not cut to less than this while a column can be left out instead. */
const CELL_WIDTH_MIN = 16;
/** As the API writes a time. */
const KST_TIME = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}):\d{2}\+09:00$/;

export type Row = Readonly<Record<string, unknown>>;

interface Column {
  readonly name: string;
  /** The lines of its header. */
  readonly header: readonly string[];
  readonly cells: readonly string[];
  readonly width: number;
  /** Ids are copied, and of a number every digit matters. */
  readonly isWhole: boolean;
}

/** `columns` begins with the most important ones: the last may be left out. */
export function layOutTable(
  rows: readonly Row[],
  columns: readonly string[],
  { width, paint = (text) => text }: TableOptions,
): Table {
  const written = width === null ? cellText : shortText;
  const all = columns.map((name) =>
    columnOf(
      name,
      rows.map((row) => written(row[name])),
    ),
  );
  const shown = width === null || totalOf(all) <= width ? all : fitted(all, width);
  const names = shown.map(({ name }) => name);
  const headerLines = Math.max(...shown.map(({ header }) => header.length));
  const lines = [
    ...Array.from({ length: headerLines }, (_, i) => lineOf(shown, (column) => column.header[i] ?? '', true)),
    ...rows.map((_, i) => lineOf(shown, (column) => column.cells[i] as string, false)),
  ];
  return {
    lines,
    leftOut: all.filter((one) => !names.includes(one.name) && hasValues(one)).map(({ name }) => name),
  };

  function lineOf(of: readonly Column[], textOf: (column: Column) => string, isHeader: boolean): string {
    return of
      .map((column, i) => {
        const text = cut(textOf(column), column.width);
        const isLast = i === of.length - 1;
        const padding = isLast ? '' : ' '.repeat(column.width - displayWidth(text));
        return paint(text, { column: column.name, isHeader }) + padding;
      })
      .join(GAP)
      .trimEnd();
  }
}

function columnOf(name: string, cells: readonly string[], header = [name.toUpperCase()]): Column {
  const isWhole = /(?:^|_)id$/.test(name) || cells.every((cell) => /^(?:-|-?[\d.,]+)$/.test(cell));
  return { name, header, cells, width: Math.max(...[...header, ...cells].map(displayWidth)), isWhole };
}

function hasValues({ cells }: Column): boolean {
  return cells.some((cell) => cell !== EMPTY);
}

export function cellText(value: unknown): string {
  if (value === null || value === undefined || value === '') return EMPTY;
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

/** As many columns as fit. One without any value is the first to go. */
function fitted(all: readonly Column[], width: number): readonly Column[] {
  const filled = all.filter((column, i) => i === 0 || hasValues(column)).map(stacked);
  for (let count = filled.length; count > 1; count--) {
    const narrow = narrowed(filled.slice(0, count), width, CELL_WIDTH_MIN);
    if (totalOf(narrow) <= width) return narrow;
  }
  return narrowed(filled.slice(0, 1), width, 1);
}

/** A header that is wider than its cells is written in several lines. */
function stacked({ name, header, cells }: Column): Column {
  const words = (header[0] as string).split(/[_ ]/);
  const width = Math.max(...[...words, ...cells].map(displayWidth));
  const lines: string[] = [];
  for (const word of words) {
    const longer = `${lines.at(-1)} ${word}`;
    if (lines.length > 0 && displayWidth(longer) <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return columnOf(name, cells, lines);
}

/** Takes width from the widest columns first. */
function narrowed(columns: readonly Column[], width: number, least: number): Column[] {
  const widths = columns.map((column) => column.width);
  for (let excess = totalOf(columns) - width; excess > 0; excess--) {
    const cuttable = widths.map((one, i) => (columns[i]?.isWhole ? 0 : one));
    const widest = cuttable.indexOf(Math.max(...cuttable));
    if ((cuttable[widest] as number) <= least) break;
    widths[widest] = (widths[widest] as number) - 1;
  }
  return columns.map((column, i) => ({ ...column, width: widths[i] as number }));
}

function totalOf(columns: readonly Column[]): number {
  return columns.reduce((sum, { width }) => sum + width, 0) + GAP.length * (columns.length - 1);
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

/** A text in lines of at most this width, broken at spaces. All but the first begin with `indent` spaces. */
export function wrapText(text: string, { width, indent }: { width: number | null; indent: number }): string {
  if (width === null || indent + displayWidth(text) <= width) return text;
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && indent + displayWidth(line) + 1 + displayWidth(word) > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].join(`\n${' '.repeat(indent)}`);
}
