/** Fields of a JSON export, with errors that name them. Numbers keep their digits. Pure. */
import { ExportError } from './export-line.ts';

/** A JSON number as it is written, because a JavaScript number would round it. */
export interface ExactNumber {
  readonly number: string;
}

type Reviver = (key: string, value: unknown, context?: { source?: string }) => unknown;

const keepDigits: Reviver = (_, value, context) =>
  typeof value === 'number' ? { number: context?.source ?? String(value) } : value;

/** Throws SyntaxError. */
export function parseExactJson(text: string): unknown {
  return JSON.parse(text, keepDigits as Parameters<typeof JSON.parse>[1]);
}

export function objectIn(value: unknown, place: string): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>;
  throw new ExportError(`${place} is missing.`);
}

export function listIn(value: unknown, place: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new ExportError(`${place} is not a list.`);
}

export function textIn(value: unknown, place: string): string {
  if (typeof value === 'string' && value !== '') return value;
  throw new ExportError(`${place} is missing.`);
}

/** A decimal number that is written as text or as a number. */
export function amountTextIn(value: unknown, place: string): string {
  return textIn((value as ExactNumber | null)?.number ?? value, place);
}
