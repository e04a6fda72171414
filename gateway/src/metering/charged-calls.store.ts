/** Finds calls by the time at which they were charged: they are stored in the order of their starts. Pure. */
import { type Sql, sql } from '../database/sql.ts';
import { DAY_MS, MINUTE_MS } from '../kernel/durations.ts';
import { firstIdAt } from '../kernel/ids.ts';
import type { Instant } from '../kernel/time.ts';

/** A call may have started before the period in which it is charged, but not longer ago than this. */
const CALL_MS_MAX = DAY_MS;
/** Calls that are charged later than this after their start have an index of their own, `calls_charged_late`. */
const LATE_MS = 10 * MINUTE_MS;

/**
 * Two conditions on rows `calls` of a space, for two queries whose rows are added: together they have every call that is
 * charged in the period, and others, which `charged_at` has to leave out.
 */
export function chargedCalls(
  calls: Sql,
  { from, until }: { from: Instant; until: Instant },
): readonly [soon: Sql, late: Sql] {
  // The time of an id is not exactly that of the start.
  const soon = firstIdAt('req', from - 2 * LATE_MS);
  const early = firstIdAt('req', from - CALL_MS_MAX);
  return [
    sql`${calls}.id >= ${soon} and ${calls}.id < ${firstIdAt('req', until)}`,
    sql`${calls}.id >= ${early} and ${calls}.id < ${soon}
      and ${calls}.charged_at - ${calls}.started_at > interval '10 minutes'`,
  ];
}
