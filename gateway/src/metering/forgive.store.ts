/**
 * Forgives calls without a price: they cost nothing from now on, and no longer count against units and limits. A call gets a
 * correction to zero, so that its receipt and the books say so.
 */
import { type Transaction, timestamp } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import type { Instant } from '../kernel/time.ts';
import { parseUnits, type Units } from '../kernel/units.ts';

/** Which requests of a space are forgiven. */
export interface Forgiveness {
  readonly spaceId: string;
  /** One request, even if it counts for nothing; null: all that count against units and limits. */
  readonly ref: string | null;
  /** Only of this model; null: of all. */
  readonly model: string | null;
  readonly note: string;
  readonly at: Instant;
}

export interface Forgiven {
  readonly requests: number;
  /** What no longer counts. */
  readonly units: Units;
}

/** Oldest first; more are forgiven by asking again. */
export const FORGIVEN_MAX = 10_000;

/** Requires the account of the space to be locked. */
export async function forgiveCalls(tx: Transaction, of: Forgiveness): Promise<Forgiven> {
  const { spaceId, ref, model } = of;
  const [row] = await tx.query<{ requests: number; units: string }>(sql`
    with forgiven as (
      select id, month, key_id, model, charged_at, attribution, budgets, coalesce(provisional, 0) as units from calls
      where space_id = ${spaceId} and cost is null and outcome <> 'failed'
        and (${model}::text is null or model = ${model})
        and (id = ${ref} or (${ref}::text is null and provisional > 0))
        and not exists (select 1 from corrections c where c.space_id = calls.space_id and c.call_id = calls.id)
      order by id limit ${FORGIVEN_MAX}
    ), corrected as (
      insert into corrections (space_id, call_id, entry_id, cost_before, cost_after, note, at)
      select ${spaceId}, id, null, null, 0, ${of.note}, ${timestamp(of.at)}::timestamptz from forgiven
    ), cleared as (
      update calls set provisional = null where space_id = ${spaceId} and id in (select id from forgiven)
    ), months as (
      insert into month_parts as t (space_id, month, key_id, model, requests, unpriced, cost, provisional)
      select ${spaceId}, month, key_id, model, 0, -count(*), 0, -sum(units) from forgiven group by month, key_id, model
      on conflict (space_id, month, key_id, model, writer) do update
      set unpriced = t.unpriced + excluded.unpriced, provisional = t.provisional + excluded.provisional
    ), days as (
      insert into day_parts as t (space_id, day, model, requests, unpriced, cost)
      select ${spaceId}, korean_day(charged_at), model, 0, -count(*), 0 from forgiven group by korean_day(charged_at), model
      on conflict (space_id, day, model, writer) do update set unpriced = t.unpriced + excluded.unpriced
    ), attributed_by_month as (
      insert into attributed_months as t (space_id, month, attribution, key_id, model, requests, unpriced, cost)
      select ${spaceId}, month, attribution, key_id, model, 0, -count(*), 0 from forgiven
      where attribution is not null group by month, attribution, key_id, model
      on conflict (space_id, month, attribution, key_id, model, writer) do update
      set unpriced = t.unpriced + excluded.unpriced
    ), attributed_by_day as (
      insert into attributed_days as t (space_id, day, attribution, key_id, requests, unpriced, cost)
      select ${spaceId}, korean_day(charged_at), attribution, key_id, 0, -count(*), 0 from forgiven
      where attribution is not null group by korean_day(charged_at), attribution, key_id
      on conflict (space_id, day, attribution, key_id, writer) do update set unpriced = t.unpriced + excluded.unpriced
    ), budgeted as (
      insert into budget_parts as t (budget_id, starts, value_id, space_id, value, requests, spent)
      select b.budget ->> 0, b.budget ->> 3, b.budget ->> 1, ${spaceId}, max(b.budget ->> 2), 0, -sum(f.units)
      from forgiven f cross join lateral json_array_elements(f.budgets) as b (budget)
      where f.budgets is not null group by 1, 2, 3
      on conflict (budget_id, starts, value_id, writer) do update set spent = t.spent + excluded.spent
    )
    select count(*) as requests, coalesce(sum(units), 0) as units from forgiven`);
  return { requests: row?.requests ?? 0, units: parseUnits(row?.units ?? '0') };
}
