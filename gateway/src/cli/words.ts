/** Reads the words a person types on the command line: numbers, times, on and off, none. */
import { EMAIL } from '../contract/administration/words.ts';
import { isoOf, kstOf } from '../kernel/time.ts';
import type { Read } from './command.ts';
import { UsageError } from './usage-error.ts';

export const wholeNumber: Read<number> = (text, label) => {
  if (/^-?\d{1,15}$/.test(text)) return Number(text);
  throw invalid(text, label, 'a whole number');
};

export const onOff: Read<boolean> = withWords(['on', 'off'], (text, label) => {
  if (text === 'on' || text === 'off') return text === 'on';
  throw invalid(text, label, 'on or off');
});

/** `none` takes a limit away. */
export function orNone<Value>(read: Read<Value>): Read<Value | null> {
  return withWords(['none'], (text, label) => (text === 'none' ? null : read(text, label)));
}

/** Amounts stay text, because no JavaScript number holds them exactly; the operation reads them. */
export const amount: Read<string> = (text) => text;

export function oneOf<const Word extends string>(words: readonly Word[]): Read<Word> {
  return withWords(words, (text, label) => {
    const found = words.find((word) => word === text);
    if (found !== undefined) return found;
    throw invalid(text, label, `one of ${words.join(', ')}`);
  });
}

/** Checked here, so that a mistake is reported before a password is asked for. */
export const email: Read<string> = (text, label) => {
  if (EMAIL.test(text)) return text;
  throw invalid(text, label, 'an e-mail address, such as kim@example.com');
};

/** Numbers `50,80,100`; `none` is an empty list. */
export const wholeNumbers: Read<number[]> = withWords(['none'], (text, label) =>
  text === 'none' ? [] : text.split(',').map((one) => wholeNumber(one, label)),
);

/** A list `a,b,c`; `all` is no list. */
export const listOrAll: Read<string[] | null> = Object.assign(
  withWords(['all'], (text, label): string[] | null =>
    text === 'all' ? null : readList(text, label, 'a list like a,b,c, without spaces, or all'),
  ),
  { write: (items: string[] | null) => items?.join(',') ?? 'all' },
);

/** A list `a,b,c`. */
export const list: Read<string[]> = (text, label) =>
  readList(text, label, 'a list like a,b,c, without spaces');

function readList(text: string, label: string, allowed: string): string[] {
  const items = text.split(',');
  if (!items.some((item) => item === '' || /\s/.test(item))) return items;
  throw invalid(text, label, allowed);
}

/** A day (KST), which stands for its last second, or a moment. */
export const time: Read<string> = (text) => {
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text);
  const instant = Date.parse(isDay ? `${text}T23:59:59+09:00` : text);
  // A day that its month does not have would be read as a day of the next month.
  if (Number.isNaN(instant) || (isDay && !kstOf(instant).startsWith(text))) {
    throw new UsageError(
      `${JSON.stringify(text.slice(0, 80))} is not a date. Write a day (KST) as YYYY-MM-DD, or a moment as 2026-12-31T18:00:00+09:00.`,
    );
  }
  return isDay ? `${text}T23:59:59+09:00` : isoOf(instant);
};

export const timeOrNow: Read<string> = (text, label) => (text === 'now' ? 'now' : time(text, label));

/** A day (UTC), as providers count them. */
export const utcDay: Read<string> = (text, label) => {
  const instant = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(instant) && isoOf(instant).startsWith(text)) return text;
  throw invalid(text, label, 'a day (UTC) as YYYY-MM-DD');
};

export const calendarMonth: Read<string> = (text, label) => {
  if (/^\d{4}-(0[1-9]|1[0-2])$/.test(text)) return text;
  throw invalid(text, label, 'a month as YYYY-MM');
};

/** An amount that is not negative, with at most 12 places. */
export const decimal: Read<string> = (text, label) => {
  if (/^\d{1,20}(\.\d{1,12})?$/.test(text)) return text;
  throw invalid(text, label, 'a decimal number, such as 0.000001');
};

/** `theirs=ours,…`. Names may contain anything else. */
export const aliasList: Read<ReadonlyMap<string, string>> = (text, label) =>
  new Map(
    text.split(',').map((pair) => {
      const [theirs, ours] = [pair.slice(0, pair.lastIndexOf('=')), pair.slice(pair.lastIndexOf('=') + 1)];
      if (!pair.includes('=') || theirs === '' || ours === '')
        throw invalid(text, label, 'a list like theirs=ours,theirs=ours');
      return [theirs, ours];
    }),
  );

function withWords<Value>(words: readonly string[], read: Read<Value>): Read<Value> {
  return Object.assign((text: string, label: string) => read(text, label), { words });
}

function invalid(text: string, label: string, allowed: string): UsageError {
  return new UsageError(`${label} ${JSON.stringify(text.slice(0, 80))} is not valid: it must be ${allowed}.`);
}
