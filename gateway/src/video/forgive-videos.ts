/** Forgives videos without a price: they no longer count against units and limits. Their cost stays unknown. */
import type { Transaction } from '../database/database.ts';
import { subtractUnits, sumUnits, ZERO } from '../kernel/units.ts';
import { addBudgeted } from '../metering/budgets/budget-parts.store.ts';
import { readWaiting } from '../metering/budgets/match-budgets.ts';
import type { Forgiven, Forgiveness } from '../metering/forgive.store.ts';
import { releaseProvisional } from '../metering/totals.store.ts';
import { clearProvisional } from './video-jobs.store.ts';

/** Requires the account of the space to be locked. */
export async function forgiveVideos(tx: Transaction, of: Forgiveness): Promise<Forgiven> {
  const cleared = await clearProvisional(tx, of);
  for (const video of cleared) {
    const { spaceId } = of;
    await releaseProvisional(tx, { spaceId, ...video });
    const less = subtractUnits(ZERO, video.units);
    const part = { budgets: readWaiting(video.budgets), requests: 0, spent: less };
    await addBudgeted(tx, { spaceId, at: video.endedAt }, [part]);
  }
  return { requests: cleared.length, units: sumUnits(cleared.map(({ units }) => units)) };
}
