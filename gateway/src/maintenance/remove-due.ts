/** Runs all sweeps until nothing is left that they remove, for `tollgate gc`. */
import type { Queryable } from '../database/database.ts';
import type { Clock } from '../kernel/time.ts';
import { countDue } from './due-rows.store.ts';
import type { RetentionDays } from './retention.ts';

export interface RemovedRows {
  readonly what: string;
  /** What is too old or has expired. */
  readonly due: number;
  readonly removed: number;
}

export interface Sweeps {
  readonly db: Queryable;
  readonly clock: Clock;
  readonly days: RetentionDays;
  /** Each round removes a limited number of files. */
  sweepAll(): Promise<void>;
}

export async function removeDue(
  { db, clock, days, sweepAll }: Sweeps,
  dryRun: boolean,
): Promise<RemovedRows[]> {
  const now = clock.now();
  const due = await countDue(db, now, days);
  let left = due;
  for (let before = Number.POSITIVE_INFINITY; !dryRun && sumOf(left) < before; ) {
    before = sumOf(left);
    await sweepAll();
    left = await countDue(db, now, days);
  }
  return due.map(({ what, rows }, index) => ({
    what,
    due: rows,
    removed: rows - (left[index]?.rows ?? rows),
  }));
}

function sumOf(due: ReadonlyArray<{ readonly rows: number }>): number {
  return due.reduce((sum, { rows }) => sum + rows, 0);
}
