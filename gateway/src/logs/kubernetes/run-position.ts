/** A place in a log that only time can be asked for: what a trail knows of it, as text. */

import { type LogTime, secondOf, startOfSecond } from '../../kernel/log-time.ts';
import type { HistoryPosition } from '../../kernel/position-history.ts';

const POSITION =
  /^k([0-9a-z]{1,9})\.([0-9a-z]{1,9})\.([0-9a-z]{1,7})\.([0-9a-z]{1,7})\.([0-9a-z]{1,11})\.([0-9a-z]{1,9})\.([0-9a-z]{1,6})$/;

export function printRunPosition(place: HistoryPosition): string {
  const numbers = [
    place.since,
    place.count,
    place.sumA >>> 0,
    place.sumB >>> 0,
    place.lastHash,
    secondOf(place.newest),
    Number(place.newest.slice(20, 29)),
  ];
  return `k${numbers.map((number) => number.toString(36)).join('.')}`;
}

/** Null where the text is no position. */
export function readRunPosition(text: string): HistoryPosition | null {
  const match = POSITION.exec(text);
  if (match === null) return null;
  const [since, count, sumA, sumB, lastHash, second, nanos] = match
    .slice(1)
    .map((digits) => Number.parseInt(digits, 36)) as [number, number, number, number, number, number, number];
  if (since > 4e10 || second > 4e10 || nanos >= 1e9) return null;
  return { since, count, sumA: sumA | 0, sumB: sumB | 0, lastHash, newest: timeOf(second, nanos) };
}

function timeOf(second: number, nanos: number): LogTime {
  return `${startOfSecond(second).slice(0, 20)}${String(nanos).padStart(9, '0')}Z`;
}
