/** What the purses of this process look like now, for the metrics. */
import { addUnits, type Units, ZERO } from '../../kernel/units.ts';
import { type PurseKind, purseKinds } from './purse.ts';
import type { PurseBook } from './purse-book.ts';

export interface KindFigures {
  readonly kind: PurseKind;
  /** How many purses it uses. */
  readonly purses: number;
  /** What running calls hold of them. */
  readonly held: Units;
}

/** A call holds its amount of several kinds, so these cannot be added up. */
export function figuresByKind({ purses }: Pick<PurseBook, 'purses'>): KindFigures[] {
  const found = new Map(purseKinds.map((kind) => [kind as PurseKind, { kind, purses: 0, held: ZERO }]));
  for (const { name, held } of purses) {
    const figures = found.get(name.kind);
    if (figures === undefined) continue;
    figures.purses++;
    figures.held = addUnits(figures.held, held);
  }
  return [...found.values()];
}

/** How long the oldest hold has been open; 0 if there is none. */
export function oldestHoldMs({ holds }: Pick<PurseBook, 'holds'>, nowMs: number): number {
  let oldestMs = nowMs;
  holds.forEach(({ sinceMs }) => {
    oldestMs = Math.min(oldestMs, sinceMs);
  });
  return nowMs - oldestMs;
}
