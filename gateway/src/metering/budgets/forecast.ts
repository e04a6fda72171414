/** How a budget will end if calls go on as they did in its window. Pure. */
import type { WindowBounds } from '../../kernel/period.ts';
import type { Instant } from '../../kernel/time.ts';
import type { Units } from '../../kernel/units.ts';

export interface Forecast {
  /** What will be spent when the window ends. */
  readonly spentAtEnd: Units;
  /** When the amount is spent; null: not in this window. */
  readonly usedUpAt: Instant | null;
}

/** Before this part of a window is over, nothing can be said. */
const SEEN_LEAST = 1 / 20;

/** Null: too little is known. */
export function forecast(
  { spent, amount }: { spent: Units; amount: Units },
  { from, until }: WindowBounds,
  now: Instant,
): Forecast | null {
  if (from === null || until === null) return null;
  const [elapsedMs, wholeMs] = [now - from, until - from];
  if (elapsedMs < wholeMs * SEEN_LEAST) return null;
  const spentAtEnd = ((spent as bigint) * BigInt(wholeMs)) / BigInt(elapsedMs);
  if (spent <= 0n || spentAtEnd < amount) return { spentAtEnd: spentAtEnd as Units, usedUpAt: null };
  const usedUpMs = Number(((amount as bigint) * BigInt(elapsedMs)) / (spent as bigint));
  return { spentAtEnd: spentAtEnd as Units, usedUpAt: from + Math.min(usedUpMs, wholeMs) };
}
