/** Budgets of a space: what a part of its calls may cost in a window. */
import type { SpaceBudget } from '../access/budget.ts';
import {
  findBudget,
  insertBudget,
  listBudgets,
  removeBudget,
  updateBudget,
} from '../access/budgets.store.ts';
import type { Space } from '../access/spaces.store.ts';
import type { InputOf } from '../contract/administration/admin-endpoints.ts';
import { BUDGETS_MAX } from '../contract/administration/words.ts';
import { readTags } from '../contract/tags.ts';
import type { Queryable } from '../database/database.ts';
import { newId } from '../kernel/ids.ts';
import { boundsOf, printWindowEnd, windowOf } from '../kernel/period.ts';
import { Problem } from '../kernel/problem.ts';
import { type Instant, kstOf } from '../kernel/time.ts';
import { addUnits, printUnits, ZERO } from '../kernel/units.ts';
import { beginBudget } from '../metering/budgets/begin-budget.store.ts';
import { type BudgetUsage, readBudgetUsage, readValuePage } from '../metering/budgets/budget-usage.store.ts';
import { forecast } from '../metering/budgets/forecast.ts';
import { keyNamed, memberNamed, orTaken } from './named-records.ts';
import { change, read } from './operation.ts';
import { answeredPage, wantedPage } from './page.ts';
import { shownTime, unitsOf } from './read-input.ts';

const list = read('budgets.list', async ({ db, space, now }) => {
  return { data: await shown(db, await listBudgets(db, space.id), now), next_cursor: null };
});

const get = read('budgets.get', async ({ db, space, now }, { budget }) => {
  return await shownOne(db, await budgetNamed(db, space, budget), now);
});

const values = read('budgets.values', async ({ db, space, now }, input) => {
  const budget = await budgetNamed(db, space, input.budget);
  const page = await readValuePage(db, { budget, now, ...wantedPage(input) });
  return answeredPage(page, ({ value, spent, raised, requests }) => {
    return {
      value,
      spent: printUnits(spent),
      amount: printUnits(addUnits(budget.amount, raised)),
      requests,
    };
  });
});

const add = change('budgets.add', async ({ tx, space, now }, input) => {
  if ((await listBudgets(tx, space.id)).length >= BUDGETS_MAX)
    throw new Problem('conflict', {
      detail: `${space.name} has ${BUDGETS_MAX} budgets, which is the most. Remove one first.`,
    });
  const { name, window: period, hard = false, model = null, session = null, per = null } = input;
  const named = { space, own: null };
  const key = input.key === undefined ? null : await keyNamed(tx, named, input.key);
  const member = input.member === undefined ? null : await memberNamed(tx, space, input.member);
  const budget: SpaceBudget = {
    id: newId('bud', now),
    spaceId: space.id,
    name,
    keyId: key?.id ?? null,
    memberId: member?.id ?? null,
    keyName: key?.name ?? null,
    memberEmail: member?.email ?? null,
    model,
    endUser: input.end_user ?? null,
    session,
    tags: tagsOf(input.tags),
    per,
    period,
    amount: unitsOf(input.amount),
    hard,
    createdAt: now,
  };
  checkPer(budget);
  await orTaken(`${space.name} already has a budget named ${name}.`, 'name', () => insertBudget(tx, budget));
  await beginBudget(tx, budget, now);
  const answer = await shownOne(tx, budget, now);
  return { answer, subject: name, after: described(budget) };
});

const alter = change('budgets.change', async ({ tx, space, now }, input) => {
  const budget = await budgetNamed(tx, space, input.budget);
  const to: SpaceBudget = {
    ...budget,
    name: input.new_name ?? budget.name,
    amount: input.amount === undefined ? budget.amount : unitsOf(input.amount),
    hard: input.hard ?? budget.hard,
  };
  await orTaken(`${space.name} already has a budget named ${to.name}.`, 'new_name', () =>
    updateBudget(tx, budget.id, to),
  );
  const answer = await shownOne(tx, to, now);
  return { answer, subject: budget.name, before: described(budget), after: described(to) };
});

const remove = change('budgets.remove', async ({ tx, space, now }, input) => {
  const budget = await budgetNamed(tx, space, input.budget);
  await removeBudget(tx, budget.id, now);
  const before = described(budget);
  return { answer: { ...before, removed: true as const }, subject: budget.name, before };
});

export const budgetOperations = [list, get, values, add, alter, remove] as const;

export async function budgetNamed(db: Queryable, space: Space, name: string): Promise<SpaceBudget> {
  const budget = await findBudget(db, { spaceId: space.id, name });
  if (budget !== null) return budget;
  throw new Problem('not_found', { detail: `There is no budget ${name} in ${space.name}.`, param: 'budget' });
}

function tagsOf(text: InputOf<'budgets.add'>['tags']): Record<string, string> {
  if (text === undefined) return {};
  const tags = readTags(text);
  if (typeof tags !== 'string') return Object.fromEntries(tags);
  throw new Problem('invalid_parameter', { detail: `tags ${tags}.`, param: 'tags' });
}

/** One value cannot have several values of its own. */
function checkPer({ per, keyId, memberId, model, endUser, session, tags }: SpaceBudget): void {
  const chosen: Readonly<Record<string, string | null>> = {
    key: keyId,
    member: memberId,
    model,
    end_user: endUser,
    session,
    ...Object.fromEntries(Object.entries(tags).map(([key, value]) => [`tag:${key}`, value])),
  };
  if (per === null || (chosen[per] ?? null) === null) return;
  throw new Problem('invalid_parameter', {
    detail: `The budget counts one ${per} only, so per cannot be ${per}. Leave one of them out.`,
    param: 'per',
  });
}

async function shownOne(db: Queryable, budget: SpaceBudget, now: Instant) {
  const [answer] = await shown(db, [budget], now);
  if (answer === undefined) throw new Error('one budget is one answer');
  return answer;
}

async function shown(db: Queryable, budgets: readonly SpaceBudget[], now: Instant) {
  const usage = await readBudgetUsage(db, budgets, now);
  return budgets.map((budget) => ({
    ...described(budget),
    ...used(budget, usage.get(budget.id) ?? UNUSED, now),
  }));
}

const UNUSED: BudgetUsage = { raised: ZERO, spent: ZERO, reserved: ZERO, requests: 0, values: 0 };

function used(budget: SpaceBudget, usage: BudgetUsage, now: Instant) {
  const { per, period } = budget;
  const window = windowOf(period, now);
  const amount = addUnits(budget.amount, usage.raised);
  // Of values that have their own budgets there is no pace of one.
  const seen = per === null ? forecast({ spent: usage.spent, amount }, boundsOf(period, window), now) : null;
  return {
    spent: printUnits(usage.spent),
    reserved: printUnits(usage.reserved),
    raised: printUnits(usage.raised),
    requests: usage.requests,
    values: usage.values,
    resets_at: printWindowEnd(period, window),
    spent_at_end: seen === null ? null : printUnits(seen.spentAtEnd),
    used_up_at: shownTime(seen?.usedUpAt ?? null),
  };
}

/** As the audit log records it. */
function described(budget: SpaceBudget) {
  const { id, name, model, endUser, session, tags, per, period, amount, hard } = budget;
  const pairs = Object.entries(tags).map(([key, value]) => `${key}=${value}`);
  return {
    id,
    name,
    key: budget.keyName,
    member: budget.memberEmail,
    model,
    end_user: endUser,
    session,
    tags: pairs.length === 0 ? null : pairs.join(','),
    per,
    window: period,
    amount: printUnits(amount),
    hard,
    created_at: kstOf(budget.createdAt),
  };
}
