/**
 * Finishes what processes left that have ended: gives back their slices, settles what their calls cost, and adds their totals
 * to those of nobody, so that reports read few rows. Every process does it, a limited number of rows at a time.
 */
import type { Queryable } from '../database/database.ts';
import { DAY_MS } from '../kernel/durations.ts';
import { Sweeper } from '../kernel/sweeper.ts';
import { type Clock, dayOf, type Month, monthOf } from '../kernel/time.ts';
import { forgetDues } from '../ledger/settle.store.ts';
import { endLostProcesses, listEndedWriters, removeEndedProcesses } from '../processes/processes.store.ts';
import { removeOldBudgetParts } from './budgets/budget-usage.store.ts';
import { foldSlices, removeOldPurses } from './purses/purses.store.ts';
import { foldTotals } from './totals.store.ts';

const SWEEP_MS = 5_000;
const ROWS_MAX = 500;
const SPACES_MAX = 100;
/** What was counted in days and weeks of budgets is kept for so long. */
const BUDGET_DAYS = 62;
/** So long a process that was declared dead may still commit what it had in hand. */
const FORGET_MS = DAY_MS;

export class LeftRows extends Sweeper {
  /** How many slices of ended processes this one gave back. */
  slicesFolded = 0;

  constructor({ db, clock }: { db: Queryable; clock: Clock }) {
    let cleaned: Month | null = null;
    let forgottenOn: string | null = null;
    const sweep = async (): Promise<boolean> => {
      const month = monthOf(clock.now());
      if (month !== cleaned) await removeOldPurses(db, month);
      cleaned = month;
      const before = dayOf(clock.now() - BUDGET_DAYS * DAY_MS);
      const rows = before === forgottenOn ? 0 : await removeOldBudgetParts(db, { before, rowsMax: ROWS_MAX });
      if (rows < ROWS_MAX) forgottenOn = before;
      const more = await finishLeft(db, clock, (slices) => {
        this.slicesFolded += slices;
      });
      return more || rows === ROWS_MAX;
    };
    super({ clock, everyMs: SWEEP_MS, atStart: 'in background', sweep });
  }
}

async function finishLeft(db: Queryable, clock: Clock, onSlices: (folded: number) => void): Promise<boolean> {
  const now = clock.now();
  await endLostProcesses(db);
  const slices = await foldSlices(db, ROWS_MAX);
  onSlices(slices);
  const writers = await listEndedWriters(db);
  if (writers.length === 0) return slices === ROWS_MAX;
  const settled = await forgetDues(db, { writers, spacesMax: SPACES_MAX, now });
  const folded = await foldTotals(db, { writers, rowsMax: ROWS_MAX });
  await removeEndedProcesses(db, FORGET_MS);
  return settled === SPACES_MAX || folded >= ROWS_MAX || slices === ROWS_MAX;
}
