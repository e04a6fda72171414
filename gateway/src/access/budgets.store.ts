/** Budgets of spaces as they were set. What is counted in them is in `metering/budgets/`. */
import { type Queryable, type Transaction, timestamp } from '../database/database.ts';
import { json, type Sql, sql } from '../database/sql.ts';
import { parseUnits, printUnits, type Units } from '../kernel/units.ts';
import type { Budget, SpaceBudget } from './budget.ts';

/** As the database gives it. */
export interface StoredBudget extends Omit<Budget, 'amount'> {
  readonly amount: string;
}

export function readBudget<Stored extends StoredBudget>(stored: Stored): Omit<Stored, 'amount'> & Budget {
  return { ...stored, amount: parseUnits(stored.amount) };
}

/** An expression: the budgets that may count calls of the key `k`, as JSON; null if there are none. */
export const budgetsOfKey: Sql = sql`(
  select json_agg(json_build_object('id', b.id, 'name', b.name, 'keyId', b.key_id, 'memberId', b.member_id, 'model', b.model,
    'endUser', b.end_user, 'session', b.session, 'tags', b.tags, 'per', b.per, 'period', b.period, 'amount', b.amount::text,
    'hard', b.hard) order by b.id)
  from budgets b where b.space_id = k.space_id and b.removed_at is null
    and (b.key_id is null or b.key_id = k.id) and (b.member_id is null or b.member_id = k.member_id))`;

/** Those that may count calls of a key. */
export async function listBudgetsOfKey(db: Queryable, keyId: string): Promise<readonly Budget[]> {
  const [row] = await db.query<{ budgets: StoredBudget[] | null }>(sql`
    select ${budgetsOfKey} as budgets from keys k where k.id = ${keyId}`);
  return (row?.budgets ?? []).map(readBudget);
}

const fields = sql`
  b.id, b.space_id as "spaceId", b.name, b.key_id as "keyId", b.member_id as "memberId", b.model, b.end_user as "endUser",
    b.session, b.tags, b.per, b.period, b.amount::text as amount, b.hard, b.created_at as "createdAt", k.name as "keyName",
    m.email as "memberEmail"`;

const living = sql`
  (select * from budgets where removed_at is null) b
  left join keys k on k.id = b.key_id left join members m on m.id = b.member_id`;

/** In the order of their names. */
export async function listBudgets(db: Queryable, spaceId: string): Promise<SpaceBudget[]> {
  const rows = await db.query<Omit<SpaceBudget, 'amount'> & { amount: string }>(sql`
    select ${fields} from ${living} where b.space_id = ${spaceId} order by b.name`);
  return rows.map(readBudget);
}

/** By its name or its id. */
export async function findBudget(
  db: Queryable,
  of: { spaceId: string; name: string },
): Promise<SpaceBudget | null> {
  const [row] = await db.query<Omit<SpaceBudget, 'amount'> & { amount: string }>(sql`
    select ${fields} from ${living}
    where b.space_id = ${of.spaceId} and (b.name = ${of.name} or b.id = ${of.name})
    order by (b.id = ${of.name}) desc limit 1`);
  return row === undefined ? null : readBudget(row);
}

export async function insertBudget(tx: Transaction, budget: SpaceBudget): Promise<void> {
  await tx.query(sql`
    insert into budgets (id, space_id, name, key_id, member_id, model, end_user, session, tags, per, period, amount, hard,
      created_at)
    values (${budget.id}, ${budget.spaceId}, ${budget.name}, ${budget.keyId}, ${budget.memberId}, ${budget.model},
      ${budget.endUser}, ${budget.session}, ${json(budget.tags)}::jsonb, ${budget.per}, ${budget.period},
      ${printUnits(budget.amount)}, ${budget.hard}, ${timestamp(budget.createdAt)})`);
}

export async function updateBudget(
  tx: Transaction,
  id: string,
  to: Pick<Budget, 'name' | 'amount' | 'hard'>,
): Promise<void> {
  await tx.query(sql`
    update budgets set name = ${to.name}, amount = ${printUnits(to.amount)}, hard = ${to.hard} where id = ${id}`);
}

export async function removeBudget(tx: Transaction, id: string, now: number): Promise<void> {
  await tx.query(sql`update budgets set removed_at = ${timestamp(now)} where id = ${id}`);
}

/** A window of a budget, for one of its values. */
export interface BudgetWindow {
  readonly budgetId: string;
  readonly window: string;
  /** Empty: it has no values of its own. */
  readonly valueId: string;
}

/** Adds to a budget for one window only. */
export async function raiseBudget(tx: Transaction, of: BudgetWindow, amount: Units): Promise<void> {
  await tx.query(sql`
    insert into budget_raises as r (budget_id, starts, value_id, amount)
    values (${of.budgetId}, ${of.window}, ${of.valueId}, ${printUnits(amount)})
    on conflict (budget_id, starts, value_id) do update set amount = r.amount + excluded.amount`);
}
