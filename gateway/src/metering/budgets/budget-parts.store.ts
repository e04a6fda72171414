/** What is counted in budgets. `charge_calls` adds calls, in rows of its writer; what is here adds to the rows of nobody. */
import type { Transaction } from '../../database/database.ts';
import { json, sql } from '../../database/sql.ts';
import { windowOf } from '../../kernel/period.ts';
import type { Instant } from '../../kernel/time.ts';
import { printUnits, type Units } from '../../kernel/units.ts';
import type { CountedBudget } from './match-budgets.ts';

/** What a batch or a video counts for in its budgets. */
export interface BudgetedPart {
  readonly budgets: readonly CountedBudget[];
  readonly requests: number;
  /** With what it provisionally counts for. */
  readonly spent: Units;
}

/** Requires the account of the space to be locked. */
export async function addBudgeted(
  tx: Transaction,
  { spaceId, at }: { spaceId: string; at: Instant },
  parts: readonly BudgetedPart[],
): Promise<void> {
  const rows = parts.flatMap(({ budgets, requests, spent }) =>
    budgets.map(({ id, valueId, value, period }) => {
      return { id, valueId, value, starts: windowOf(period, at), requests, spent: printUnits(spent) };
    }),
  );
  if (rows.length === 0) return;
  await tx.query(sql`
    insert into budget_parts as t (budget_id, starts, value_id, space_id, value, requests, spent)
    select id, starts, "valueId", ${spaceId}, max(value), sum(requests), sum(spent)
    from json_to_recordset(${json(rows)}::json)
      as r (id text, starts text, "valueId" text, value text, requests bigint, spent numeric)
    group by id, starts, "valueId" order by id, starts, "valueId"
    on conflict (budget_id, starts, value_id, writer) do update
    set requests = t.requests + excluded.requests, spent = t.spent + excluded.spent`);
}

/** A call costs more or less than it counted for. Requires the account of the space to be locked. */
export async function correctBudgeted(
  tx: Transaction,
  { spaceId, id }: { spaceId: string; id: string },
  difference: Units,
): Promise<void> {
  await tx.query(sql`
    insert into budget_parts as t (budget_id, starts, value_id, space_id, value, requests, spent)
    select b.budget ->> 0, b.budget ->> 3, b.budget ->> 1, c.space_id, b.budget ->> 2, 0, ${printUnits(difference)}::numeric
    from calls c cross join lateral json_array_elements(c.budgets) as b (budget)
    where c.space_id = ${spaceId} and c.id = ${id} and c.budgets is not null
    order by 1, 2, 3
    on conflict (budget_id, starts, value_id, writer) do update set spent = t.spent + excluded.spent`);
}
