/** Records calls. One SQL function writes their rows and charges, and adds to the totals. */
import { type Queryable, timestamp } from '../database/database.ts';
import { CALL_ANSWER_MS } from '../database/deadlines.ts';
import { sql } from '../database/sql.ts';
import type { Instant } from '../kernel/time.ts';

export interface CallGroup {
  /** The result of `joinRows`. */
  readonly rows: string;
  readonly spaces: readonly string[];
  /** Who writes: nobody else changes the same totals at the same time. Default: 0, which is nobody. */
  readonly writer?: number;
  readonly at: Instant;
}

/** Returns the number of new calls; a group that was recorded before changes nothing. */
export async function recordCalls(
  db: Queryable,
  group: CallGroup,
  timeoutMs = CALL_ANSWER_MS,
): Promise<number> {
  const statement = sql`
    select charge_calls(${group.writer ?? 0}, ${group.rows}, ${group.spaces}, ${timestamp(group.at)}) as added`;
  const [row] = await db.query<{ added: number }>({ ...statement, timeoutMs });
  return row?.added ?? 0;
}
