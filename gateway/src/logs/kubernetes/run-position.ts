/** Positions in the log of a run, as text. */

import { type LogTime, secondOf, startOfSecond } from '../../kernel/log-time.ts';
import type { HistoryPosition } from '../../kernel/position-history.ts';

const POSITION =
  /^k([0-9a-z]{1,9})\.([0-9a-z]{1,9})\.([0-9a-z]{1,7})\.([0-9a-z]{1,7})\.([0-9a-z]{1,11})\.([0-9a-z]{1,9})\.([0-9a-z]{1,6})$/;

export function printRunPosition(position: HistoryPosition): string {
  const numbers = [
    position.since,
    position.count,
    position.sumA >>> 0,
    position.sumB >>> 0,
    position.lastHash,
    secondOf(position.newest),
    Number(position.newest.slice(20, 29)),
  ];
  return `k${numbers.map((number) => number.toString(36)).join('.')}`;
}

/** Null if the text is not a position. */
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
