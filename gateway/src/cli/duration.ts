/** Durations as people type them: 30s, 10m, 1h30m, 7d or 2w. */
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../kernel/durations.ts';
import type { Read } from './command.ts';
import { UsageError } from './usage-error.ts';

const units = { s: SECOND_MS, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS, w: 7 * DAY_MS };
const names = { s: 'seconds', m: 'minutes', h: 'hours', d: 'days', w: 'weeks' };
const examples = { s: '30s, 10m or 2h', m: '10m, 2h or 1d', h: '1h, 36h or 2d', d: '1d, 2w or 90d', w: '1w' };

type Unit = keyof typeof units;

/** A whole number of this unit, which is also the unit of a number without one. */
export function durationIn(unit: Unit): Read<number> {
  const read = (text: string, label: string): number => {
    const duration = msOf(/^\d+$/.test(text) ? `${text}${unit}` : text);
    const invalid = `${label} ${JSON.stringify(text.slice(0, 80))} is not valid: it must be`;
    if (duration === null)
      throw new UsageError(
        `${invalid} a duration such as ${examples[unit]}; a number alone means ${names[unit]}.`,
      );
    const count = duration / units[unit];
    if (Number.isInteger(count)) return count;
    throw new UsageError(`${invalid} a whole number of ${names[unit]}, such as ${examples[unit]}.`);
  };
  return Object.assign(read, { write: (count: number) => `${count}${unit}` });
}

const PART = /(\d{1,9})([smhdw])/g;

/** Null: it is no duration. */
function msOf(text: string): number | null {
  if (!/^(?:\d{1,9}[smhdw])+$/.test(text)) return null;
  const parts = [...text.matchAll(PART)];
  const letters = parts.map(([, , letter]) => letter);
  if (new Set(letters).size < letters.length) return null;
  return parts.reduce((sum, [, count, letter]) => sum + Number(count) * units[letter as Unit], 0);
}
