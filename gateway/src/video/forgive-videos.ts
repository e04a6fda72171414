/** Forgives videos without a price: they no longer count against units and limits. Their cost stays unknown. */
import type { Transaction } from '../database/database.ts';
import { sumUnits } from '../kernel/units.ts';
import type { Forgiven, Forgiveness } from '../metering/forgive.store.ts';
import { releaseProvisional } from '../metering/totals.store.ts';
import { clearProvisional } from './video-jobs.store.ts';

/** Requires the account of the space to be locked. */
export async function forgiveVideos(tx: Transaction, of: Forgiveness): Promise<Forgiven> {
  const cleared = await clearProvisional(tx, of);
  for (const video of cleared) await releaseProvisional(tx, { spaceId: of.spaceId, ...video });
  return { requests: cleared.length, units: sumUnits(cleared.map(({ units }) => units)) };
}
