/** The reports of the platform API: usage and balance of the caller's space. */
import type { Principal } from '../access/principal.ts';
import type { BalanceRecord, UsageRecord } from '../contract/platform.ts';
import type { Database, Queryable } from '../database/database.ts';
import { type Clock, type Instant, type Month, monthOf } from '../kernel/time.ts';
import { addUnits, printUnits, ZERO } from '../kernel/units.ts';
import { whenAvailable } from '../kernel/when-available.ts';
import { readBalance } from '../ledger/balance.store.ts';
import { readSpaceReserved } from '../metering/reserved.store.ts';
import { readMonthTotals } from './usage-report.store.ts';
import { usageReport } from './usage-report.ts';

export class PlatformReports {
  readonly #db: Database;
  readonly #clock: Clock;

  constructor(options: { db: Database; clock: Clock }) {
    this.#db = options.db;
    this.#clock = options.clock;
  }

  async usage({ spaceId }: Principal, month: Month = monthOf(this.#clock.now())): Promise<UsageRecord> {
    const totals = await whenReadable(() => readMonthTotals(this.#db, { spaceId }, month));
    return usageReport(month, totals);
  }

  async balance({ spaceId }: Principal): Promise<BalanceRecord> {
    return await whenReadable(() => balanceRecord(this.#db, spaceId, this.#clock.now()));
  }
}

export async function balanceRecord(db: Queryable, spaceId: string, now: Instant): Promise<BalanceRecord> {
  const { promo, paid, overageAccrued, overageAllowed, blocked } = await readBalance(db, spaceId, now);
  const total = addUnits(promo, paid);
  const reserved = overageAllowed ? ZERO : await readSpaceReserved(db, spaceId);
  return {
    held: { promo: printUnits(promo), paid: printUnits(paid), total: printUnits(total) },
    overage: { accrued: printUnits(overageAccrued), allowed: overageAllowed },
    // What is reserved cannot be spent.
    blocked: blocked || (total <= reserved && !overageAllowed),
  };
}

function whenReadable<T>(read: () => Promise<T>): Promise<T> {
  return whenAvailable(read, {
    detail: 'Usage and balance cannot be read right now. Try again in a few seconds.',
  });
}
