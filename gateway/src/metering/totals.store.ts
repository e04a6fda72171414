/** Totals of months and days. Adds a batch or a video to those of its month and day, and takes back what it counted for without a price. `charge_calls` adds calls, in rows of its process. */
import { type Queryable, type Transaction, timestamp } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import { type Instant, type Month, monthOf } from '../kernel/time.ts';
import { printUnits, type Units, ZERO } from '../kernel/units.ts';
import { type AttributedPart, addAttributed } from './attribution/attributions.store.ts';
import { addBudgeted, type BudgetedPart } from './budgets/budget-parts.store.ts';

export interface AddedTotal {
  readonly spaceId: string;
  readonly keyId: string;
  readonly model: string;
  readonly requests: number;
  /** How many of the requests have an unknown cost. */
  readonly unpriced: number;
  readonly cost: Units;
  /** What the requests with an unknown cost count for until they have one. */
  readonly provisional?: Units | null;
  /** What parts of it are attributed to. */
  readonly attributed?: readonly AttributedPart[];
  /** What parts of it count in budgets. */
  readonly budgeted?: readonly BudgetedPart[];
  readonly at: Instant;
}

export async function addTotals(tx: Transaction, added: AddedTotal): Promise<void> {
  const cost = printUnits(added.cost);
  await tx.query(sql`
    insert into month_parts as t (space_id, month, key_id, model, requests, unpriced, cost, last_at, provisional)
    values (${added.spaceId}, ${monthOf(added.at)}, ${added.keyId}, ${added.model}, ${added.requests},
      ${added.unpriced}, ${cost}, ${timestamp(added.at)}, ${printUnits(added.provisional ?? ZERO)})
    on conflict (space_id, month, key_id, model, writer) do update
    set requests = t.requests + excluded.requests, unpriced = t.unpriced + excluded.unpriced,
      cost = t.cost + excluded.cost, last_at = greatest(t.last_at, excluded.last_at),
      provisional = t.provisional + excluded.provisional`);
  await tx.query(sql`
    insert into day_parts as t (space_id, day, model, requests, unpriced, cost)
    values (${added.spaceId}, korean_day(${timestamp(added.at)}), ${added.model}, ${added.requests},
      ${added.unpriced}, ${cost})
    on conflict (space_id, day, model, writer) do update
    set requests = t.requests + excluded.requests, unpriced = t.unpriced + excluded.unpriced, cost = t.cost + excluded.cost`);
  await addAttributed(tx, added, added.attributed ?? []);
  await addBudgeted(tx, added, added.budgeted ?? []);
}

/** An unpriced request no longer counts against units and limits. */
export async function releaseProvisional(
  tx: Transaction,
  of: { spaceId: string; month: Month; keyId: string; model: string; units: Units },
): Promise<void> {
  await tx.query(sql`
    insert into month_parts as t (space_id, month, key_id, model, requests, unpriced, cost, provisional)
    values (${of.spaceId}, ${of.month}, ${of.keyId}, ${of.model}, 0, 0, 0, -(${printUnits(of.units)}::numeric))
    on conflict (space_id, month, key_id, model, writer) do update set provisional = t.provisional + excluded.provisional`);
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
