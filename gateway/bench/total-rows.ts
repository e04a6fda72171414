/** Adds calls that a benchmark makes to the totals of their months and days, as the product does. */
import { sql } from '../src/database/sql.ts';

/** Parts of a `with` clause after `fresh`, the calls that were made. */
export const totalsOfFresh = sql`
  months as (
    insert into month_parts as t (space_id, month, key_id, model, requests, unpriced, cost, last_at)
    select space_id, month, key_id, model, count(*), count(*) filter (where cost is null), coalesce(sum(cost), 0),
      max(charged_at)
    from fresh where outcome <> 'failed' group by 1, 2, 3, 4
    on conflict (space_id, month, key_id, model, writer) do update set requests = t.requests + excluded.requests,
      unpriced = t.unpriced + excluded.unpriced, cost = t.cost + excluded.cost, last_at = excluded.last_at
  ), days as (
    insert into day_parts as t (space_id, day, model, requests, unpriced, cost)
    select space_id, korean_day(charged_at), model, count(*), count(*) filter (where cost is null),
      coalesce(sum(cost), 0)
    from fresh where outcome <> 'failed' group by 1, 2, 3
    on conflict (space_id, day, model, writer) do update set requests = t.requests + excluded.requests,
      unpriced = t.unpriced + excluded.unpriced, cost = t.cost + excluded.cost
  )`;
