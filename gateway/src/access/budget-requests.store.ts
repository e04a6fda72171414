/** Requests for more of budgets. */

import type { BudgetRequestState } from '../contract/administration/words.ts';
import { type Queryable, type Transaction, timestamp } from '../database/database.ts';
import { ListOrder, type Page, type PageRequest } from '../database/page.ts';
import { allOf, sql } from '../database/sql.ts';
import type { Instant } from '../kernel/time.ts';
import { parseUnits, printUnits, type Units } from '../kernel/units.ts';
import type { BudgetWindow } from './budgets.store.ts';

export interface BudgetRequest extends BudgetWindow {
  readonly id: string;
  readonly spaceId: string;
  readonly value: string | null;
  readonly amount: Units;
  readonly note: string | null;
  /** An e-mail address. */
  readonly askedBy: string;
  readonly createdAt: Instant;
}

export interface ListedBudgetRequest extends BudgetRequest {
  /** The name of the budget. */
  readonly budget: string;
  readonly state: BudgetRequestState;
  readonly decidedBy: string | null;
  readonly decidedAt: Instant | null;
}

type Row = Omit<ListedBudgetRequest, 'amount'> & { amount: string };

const fields = sql`
  r.id, r.space_id as "spaceId", r.budget_id as "budgetId", b.name as budget, r.starts as window, r.value_id as "valueId",
    r.value, r.amount::text as amount, r.note, r.asked_by as "askedBy", r.created_at as "createdAt", r.state,
    r.decided_by as "decidedBy", r.decided_at as "decidedAt"`;

/** False: the same person waits for an answer already. */
export async function insertBudgetRequest(tx: Transaction, asked: BudgetRequest): Promise<boolean> {
  const rows = await tx.query(sql`
    insert into budget_requests (id, space_id, budget_id, starts, value_id, value, amount, note, asked_by, created_at, state)
    values (${asked.id}, ${asked.spaceId}, ${asked.budgetId}, ${asked.window}, ${asked.valueId}, ${asked.value},
      ${printUnits(asked.amount)}, ${asked.note}, ${asked.askedBy}, ${timestamp(asked.createdAt)}, 'pending')
    on conflict do nothing returning id`);
  return rows.length > 0;
}

export async function findBudgetRequest(
  db: Queryable,
  of: { spaceId: string; id: string },
): Promise<ListedBudgetRequest | null> {
  const [row] = await db.query<Row>(sql`
    select ${fields} from budget_requests r join budgets b on b.id = r.budget_id
    where r.space_id = ${of.spaceId} and r.id = ${of.id}`);
  return row === undefined ? null : { ...row, amount: parseUnits(row.amount) };
}

export async function decideBudgetRequest(
  tx: Transaction,
  id: string,
  to: { state: BudgetRequestState; amount: Units; decidedBy: string; now: Instant },
): Promise<void> {
  await tx.query(sql`
    update budget_requests set state = ${to.state}, amount = ${printUnits(to.amount)}, decided_by = ${to.decidedBy},
      decided_at = ${timestamp(to.now)}
    where id = ${id}`);
}

const newestFirst = new ListOrder('budget requests', ['text']);

/** `askedBy`: only those of this person. */
export async function readBudgetRequestPage(
  db: Queryable,
  of: { spaceId: string; state: BudgetRequestState | null; askedBy: string | null } & PageRequest,
): Promise<Page<ListedBudgetRequest>> {
  const conditions = [sql`r.space_id = ${of.spaceId}`];
  if (of.state !== null) conditions.push(sql`r.state = ${of.state}`);
  if (of.askedBy !== null) conditions.push(sql`r.asked_by = ${of.askedBy}`);
  const position = newestFirst.position(of.after);
  if (position !== null) conditions.push(sql`r.id < ${position[0]}`);
  const rows = await db.query<Row>(sql`
    select ${fields} from budget_requests r join budgets b on b.id = r.budget_id
    where ${allOf(conditions)} order by r.id desc limit ${of.limit + 1}`);
  const page = newestFirst.page(rows, of.limit, ({ id }) => [id]);
  return { ...page, rows: page.rows.map((row) => ({ ...row, amount: parseUnits(row.amount) })) };
}
