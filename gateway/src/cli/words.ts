/** Reads the words a person types on the command line: numbers, times, on and off, none. */
import { SettingsError } from '../app/settings.ts';
import { isoOf, kstOf } from '../kernel/time.ts';
import type { Read } from './command.ts';

export const wholeNumber: Read<number> = (text, label) => {
  if (/^-?\d{1,15}$/.test(text)) return Number(text);
  throw invalid(text, label, 'a whole number');
};

export const onOff: Read<boolean> = (text, label) => {
  if (text === 'on' || text === 'off') return text === 'on';
  throw invalid(text, label, 'on or off');
};

/** `none` takes a limit away. */
export function orNone<Value>(read: Read<Value>): Read<Value | null> {
  return (text, label) => (text === 'none' ? null : read(text, label));
}

/** Amounts stay text, because no JavaScript number holds them exactly; the operation reads them. */
export const amount: Read<string> = (text) => text;

export function oneOf<const Word extends string>(words: readonly Word[]): Read<Word> {
  return (text, label) => {
    const found = words.find((word) => word === text);
    if (found !== undefined) return found;
    throw invalid(text, label, `one of ${words.join(', ')}`);
  };
}

/** A list `a,b,c`; `all` is no list. */
export const listOrAll: Read<string[] | null> = (text, label) => {
  if (text === 'all') return null;
  const items = text.split(',');
  if (!items.some((item) => item === '' || /\s/.test(item))) return items;
  throw invalid(text, label, 'a list like a,b,c, without spaces, or all');
};

/** A day (KST), which stands for its last second, or a moment. */
export const time: Read<string> = (text) => {
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text);
  const instant = Date.parse(isDay ? `${text}T23:59:59+09:00` : text);
  // A day that its month does not have would be read as a day of the next month.
  if (Number.isNaN(instant) || (isDay && !kstOf(instant).startsWith(text))) {
    throw new SettingsError(
      `${JSON.stringify(text.slice(0, 80))} is not a date. Write a day (KST) as YYYY-MM-DD, or a moment as 2026-12-31T18:00:00+09:00.`,
    );
  }
  return isDay ? `${text}T23:59:59+09:00` : isoOf(instant);
};

export const timeOrNow: Read<string> = (text, label) => (text === 'now' ? 'now' : time(text, label));

function invalid(text: string, label: string, allowed: string): SettingsError {
  return new SettingsError(
    `${label} ${JSON.stringify(text.slice(0, 80))} is not valid: it must be ${allowed}.`,
  );
}
