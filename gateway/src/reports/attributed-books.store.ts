/**
 * The rules of the books for what calls are attributed to, in the form of those of `verify-books.store.ts`. Removed calls and
 * lines of old batches no longer say what they were attributed to: they only bound what may have been attributed.
 */
import { type Sql, sql } from '../database/sql.ts';
import { idOfText } from '../metering/attribution/attributions.store.ts';

/** What calls, lines of batches and videos cost that say what they are attributed to. */
const known: Sql = sql`
  select space_id, month, attribution, key_id, model, sum(cost) as cost, sum(requests) as requests from (
    select space_id, month, attribution, key_id, model, coalesce(fixed.cost, calls.cost, 0) as cost, 1 as requests
    from calls left join (select distinct on (call_id) call_id, cost_after as cost from corrections
      order by call_id, id desc) fixed on fixed.call_id = calls.id
    where outcome <> 'failed' and attribution is not null
    union all
    select space_id, settled_month, ${idOfText(sql`attribution`)}, key_id, model, sum(cost), count(*)
    from (select b.*, r.cost, r.attribution from line_receipts r join batches b on b.id = r.batch_id
      where r.outcome <> 'failed' and r.attribution is not null and b.settled_units is not null) line
    group by space_id, settled_month, attribution, key_id, model
    union all
    select space_id, settled_month, ${idOfText(sql`attribution`)}, key_id, model, coalesce(cost, 0), 1 from video_jobs
    where settled_at is not null and attribution is not null) part
  group by space_id, month, attribution, key_id, model`;

/** What may have been attributed to anything. */
const unknown: Sql = sql`
  select space_id, month, key_id, model, sum(cost) as cost, sum(requests) as requests from (
    select space_id, to_char(day, 'YYYY-MM') as month, key_id, model, cost, requests from removed_calls
    union all
    select b.space_id, b.settled_month, b.key_id, b.model, b.settled_units - coalesce(r.cost, 0),
      b.settled_requests - coalesce(r.lines, 0)
    from batches b left join (
      select batch_id, sum(cost) as cost, count(*) as lines from line_receipts where outcome <> 'failed'
      group by batch_id) r on r.batch_id = b.id
    where b.settled_requests > coalesce(r.lines, 0)) gone
  group by space_id, month, key_id, model`;

const months: Sql = sql`
  select space_id, month, attribution, key_id, model, sum(cost) as cost, sum(requests) as requests
  from attributed_months group by space_id, month, attribution, key_id, model`;

const used: Sql = sql`
  select space_id, attribution from calls where attribution is not null
  union select space_id, attribution from attributed_months
  union select space_id, attribution from attributed_days`;

export const attributedRules: Readonly<Record<string, Sql>> = {
  'what is attributed in a month is what its calls cost': sql`
    select space_id, concat_ws(' ', month, key_id, model, attribution, f.what) as place, f.found,
      greatest(f.known, least(f.found, f.known + f.unknown)) as expected
    from (${months}) t full join (${known}) c using (space_id, month, attribution, key_id, model)
    left join (${unknown}) u using (space_id, month, key_id, model)
    cross join lateral (values
      ('cost', coalesce(t.cost, 0), coalesce(c.cost, 0), coalesce(u.cost, 0)),
      ('requests', coalesce(t.requests, 0), coalesce(c.requests, 0), coalesce(u.requests, 0))
    ) as f (what, found, known, unknown)`,
  'what is attributed in a month is part of its total': sql`
    select space_id, concat_ws(' ', month, key_id, model, f.what) as place, f.found,
      least(f.found, f.total) as expected
    from (select space_id, month, key_id, model, sum(cost) as cost, sum(requests) as requests
      from attributed_months group by space_id, month, key_id, model) a
    left join month_totals t using (space_id, month, key_id, model)
    cross join lateral (values
      ('cost', a.cost, coalesce(t.cost, 0)), ('requests', a.requests, coalesce(t.requests, 0))
    ) as f (what, found, total)`,
  'the attributed days of a month add up to it': sql`
    select space_id, concat_ws(' ', month, key_id, attribution, f.what) as place, f.expected, f.found
    from (select space_id, month, attribution, key_id, sum(cost) as cost, sum(requests) as requests,
        sum(unpriced) as unpriced
      from attributed_months group by space_id, month, attribution, key_id) m
    full join (select space_id, to_char(day, 'YYYY-MM') as month, attribution, key_id, sum(cost) as cost,
        sum(requests) as requests, sum(unpriced) as unpriced
      from attributed_days group by 1, 2, 3, 4) d using (space_id, month, attribution, key_id)
    cross join lateral (values
      ('cost', m.cost, d.cost), ('requests', m.requests, d.requests), ('unpriced', m.unpriced, d.unpriced)
    ) as f (what, expected, found)`,
  'what is attributed says to what': sql`
    select u.space_id, 'attribution ' || u.attribution as place, 1::numeric as expected, count(a.dimensions)::numeric as found
    from (${used}) u left join (select distinct space_id, id, dimensions from attributions) a
      on a.space_id = u.space_id and a.id = u.attribution
    group by u.space_id, u.attribution`,
};
