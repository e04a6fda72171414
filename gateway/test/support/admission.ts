/** Asks whether calls are admitted, as a process of its own that uses the same database. */
import type { Principal } from '../../src/access/principal.ts';
import type { Database } from '../../src/database/database.ts';
import { type Clock, monthOf, systemClock } from '../../src/kernel/time.ts';
import { ZERO } from '../../src/kernel/units.ts';
import { Admission } from '../../src/metering/admission.ts';
import type { CallRecorder } from '../../src/metering/call-recorder.ts';
import { PurseBook } from '../../src/metering/purses/purse-book.ts';
import { DatabasePurses, readMeanCost } from '../../src/metering/purses/purses.store.ts';
import { insertProcess } from '../../src/processes/processes.store.ts';

let made = 0;

/** Resolves to a function that rejects if a call of the principal is not admitted. It holds nothing afterwards. */
export async function openAdmission(
  db: Pick<Database, 'query' | 'engine'>,
  of: { clock?: Clock; recorder?: Pick<CallRecorder, 'unappliedCosts'> } = {},
): Promise<(principal: Principal) => Promise<void>> {
  const { clock = systemClock, recorder } = of;
  const id = `prc_test_${process.pid}_${made++}`;
  const now = clock.now();
  const own = { id, host: 'test', pid: process.pid, version: '0', roles: '', journal: false };
  await insertProcess(db, { ...own, startedAt: now, leaseMs: 60_000 }, 1);
  const book = new PurseBook({
    ...{ clock, store: new DatabasePurses({ db, clock, process: () => id }) },
    unapplied: (name) => recorder?.unappliedCosts(name.window ?? monthOf(clock.now())).get(name.id) ?? ZERO,
    onEnded: () => Promise.reject(new Error('the process was taken for dead')),
  });
  const admission = new Admission({
    clock,
    book,
    process: () => id,
    callMsMax: 0,
    meanCost: (kind) => readMeanCost(db, kind),
  });
  return async (principal) => {
    const hold = await admission.admit(principal, { model: 'sim-chat', cost: { atMost: () => ZERO } });
    hold.release();
    await book.stop();
  };
}
