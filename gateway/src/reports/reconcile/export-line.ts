/** One line of a provider's cost export, whatever its format. */
import type { ExactAmount } from './exact-amount.ts';

export interface ExportLine {
  /** YYYY-MM-DD (UTC). */
  readonly day: string;
  /** The model, or the text that names it. */
  readonly name: string;
  /** The project or workspace; null: the default one, or the export does not tell. */
  readonly project: string | null;
  readonly amount: ExactAmount;
  /** In capitals. */
  readonly currency: string;
}

/** A line of a CSV export, by the names of its columns. */
export type ExportRow = Readonly<Record<string, string>>;

export interface CostExport {
  readonly format: 'openai' | 'anthropic' | 'google';
  readonly lines: readonly ExportLine[];
  /** True: names are texts that contain the model, such as those of Google's SKUs. */
  readonly describes: boolean;
}

/** The export cannot be read; `message` says why and what to do. */
export class ExportError extends Error {
  override readonly name = 'ExportError';
}

const DAY = /^(\d{4}-\d{2}-\d{2})(?:[T ]|$)/;

/** The day of a date, or of a time in UTC. */
export function utcDayOf(text: string, place: string): string {
  const [, day] = DAY.exec(text) ?? [];
  if (day === undefined || Number.isNaN(Date.parse(day)))
    throw new ExportError(`${place} is ${JSON.stringify(text.slice(0, 40))}, which is not a date.`);
  const offset = /[+-]\d{2}:?\d{2}$/.exec(text.slice(DAY_CHARACTERS))?.[0];
  if (offset !== undefined && !/^[+-]00:?00$/.test(offset))
    throw new ExportError(`${place} has the offset ${offset}; export times in UTC.`);
  return day;
}

const DAY_CHARACTERS = 10;
