/**
 * The rule of the books for budgets, in the form of those of `verify-books.store.ts`. Calls and videos name the budgets that
 * they count in. Lines of settled batches, removed calls and what was spent before a budget was set do not: so at least what is
 * named must be counted.
 */
import { type Sql, sql } from '../database/sql.ts';

const named: Sql = sql`
  select b.budget ->> 0 as budget_id, b.budget ->> 3 as starts, b.budget ->> 1 as value_id,
    sum(coalesce(fixed.cost, c.cost, c.provisional, 0)) as spent, count(*) as requests
  from calls c cross join lateral json_array_elements(c.budgets) as b (budget)
  left join (select distinct on (call_id) call_id, cost_after as cost from corrections
    order by call_id, id desc) fixed on fixed.call_id = c.id
  where c.budgets is not null and c.outcome <> 'failed'
  group by 1, 2, 3`;

const counted: Sql = sql`
  select budget_id, starts, value_id, sum(spent) as spent, sum(requests) as requests
  from budget_parts group by budget_id, starts, value_id`;

export const budgetRules: Readonly<Record<string, Sql>> = {
  'what calls say to count in a budget is counted in it': sql`
    select b.space_id, concat_ws(' ', b.name, starts, nullif(value_id, ''), f.what) as place,
      greatest(f.known, f.found) as expected, f.found
    from (${named}) n left join (${counted}) t using (budget_id, starts, value_id)
    left join budgets b on b.id = budget_id
    cross join lateral (values
      ('units', coalesce(t.spent, 0), n.spent), ('requests', coalesce(t.requests, 0), n.requests)
    ) as f (what, found, known)`,
};
