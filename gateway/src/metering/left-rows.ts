/**
 * Finishes what processes left that have ended: settles what their calls cost, and adds their totals to those of nobody, so
 * that reports read few rows. Every process does it, a limited number of rows at a time.
 */
import type { Queryable } from '../database/database.ts';
import { DAY_MS } from '../kernel/durations.ts';
import { Sweeper } from '../kernel/sweeper.ts';
import type { Clock } from '../kernel/time.ts';
import { forgetDues } from '../ledger/settle.store.ts';
import { endLostProcesses, listEndedWriters, removeEndedProcesses } from '../processes/processes.store.ts';
import { foldTotals } from './totals.store.ts';

const SWEEP_MS = 5_000;
const ROWS_MAX = 500;
const SPACES_MAX = 100;
/** So long a process that was declared dead may still commit what it had in hand. */
const FORGET_MS = DAY_MS;

export class LeftRows extends Sweeper {
  constructor({ db, clock }: { db: Queryable; clock: Clock }) {
    super({ clock, everyMs: SWEEP_MS, atStart: 'in background', sweep: () => finishLeft(db, clock) });
  }
}

async function finishLeft(db: Queryable, clock: Clock): Promise<boolean> {
  const now = clock.now();
  await endLostProcesses(db, now);
  const writers = await listEndedWriters(db);
  if (writers.length === 0) return false;
  const settled = await forgetDues(db, { writers, spacesMax: SPACES_MAX, now });
  const folded = await foldTotals(db, { writers, rowsMax: ROWS_MAX });
  await removeEndedProcesses(db, now - FORGET_MS);
  return settled === SPACES_MAX || folded >= ROWS_MAX;
}
