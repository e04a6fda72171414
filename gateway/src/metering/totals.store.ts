/** Totals of months and days. Adds a batch or a video to those of its month and day. `charge_calls` does the same for calls, in rows of its process. */
import { type Queryable, type Transaction, timestamp } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import { type Instant, monthOf } from '../kernel/time.ts';
import { printUnits, type Units } from '../kernel/units.ts';

export interface AddedTotal {
  readonly spaceId: string;
  readonly keyId: string;
  readonly model: string;
  readonly requests: number;
  /** How many of the requests have an unknown cost. */
  readonly unpriced: number;
  readonly cost: Units;
  readonly at: Instant;
}

export async function addTotals(tx: Transaction, added: AddedTotal): Promise<void> {
  const cost = printUnits(added.cost);
  await tx.query(sql`
    insert into month_parts as t (space_id, month, key_id, model, requests, unpriced, cost, last_at)
    values (${added.spaceId}, ${monthOf(added.at)}, ${added.keyId}, ${added.model}, ${added.requests},
      ${added.unpriced}, ${cost}, ${timestamp(added.at)})
    on conflict (space_id, month, key_id, model, writer) do update
    set requests = t.requests + excluded.requests, unpriced = t.unpriced + excluded.unpriced,
      cost = t.cost + excluded.cost, last_at = greatest(t.last_at, excluded.last_at)`);
  await tx.query(sql`
    insert into day_parts as t (space_id, day, model, requests, unpriced, cost)
    values (${added.spaceId}, korean_day(${timestamp(added.at)}), ${added.model}, ${added.requests},
      ${added.unpriced}, ${cost})
    on conflict (space_id, day, model, writer) do update
    set requests = t.requests + excluded.requests, unpriced = t.unpriced + excluded.unpriced, cost = t.cost + excluded.cost`);
}

/** Adds the totals of writers that have ended to those of nobody. Returns how many rows were moved. */
export async function foldTotals(
  db: Queryable,
  { writers, rowsMax }: { writers: readonly number[]; rowsMax: number },
): Promise<number> {
  const [row] = await db.query<{ moved: number }>(
    sql`select fold_totals(${writers.map(String)}::text[]::integer[], ${rowsMax}) as moved`,
  );
  return row?.moved ?? 0;
}
