/** Comma-separated values (RFC 4180) of a list or table that an operation answers. The figures are those of the JSON. */
import type { TObject, TSchema } from 'typebox';
import type { AdminEndpoint } from './admin-endpoint.ts';

type Row = Readonly<Record<string, unknown>>;

export function csvOf(endpoint: AdminEndpoint, result: unknown): string {
  if (typeof endpoint.csv === 'object')
    return csvText(endpoint.csv.rows(result), endpoint.csv.columns(result));
  const { data, rows } = result as { data?: readonly Row[]; rows?: readonly Row[] };
  return csvText(data ?? rows ?? [], columnsOf(endpoint));
}

export function csvText(rows: readonly Row[], columns: readonly string[]): string {
  const lines = [columns, ...rows.map((row) => columns.map((name) => cell(row[name])))];
  return lines.map((line) => `${line.map(field).join(',')}\r\n`).join('');
}

/** The fields of one item, in the order of its schema. */
function columnsOf({ response }: AdminEndpoint): string[] {
  const { data, rows } = (response as TObject).properties as Record<string, TSchema & { items?: TObject }>;
  return Object.keys((data ?? rows)?.items?.properties ?? {});
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** What a spreadsheet may take for a formula, also in the wide forms of East Asian input. A negative number is none. */
const FORMULA = /^[=+@\t\r\n＝＋－＠]|^-(?![\d.]+$)/;

/** A text that a spreadsheet would run as a formula is kept a text. */
function field(text: string): string {
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
