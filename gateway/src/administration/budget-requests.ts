/** Requests for more of a budget: a member asks, an administrator decides. */
import type { SpaceBudget } from '../access/budget.ts';
import {
  decideBudgetRequest,
  findBudgetRequest,
  insertBudgetRequest,
  type ListedBudgetRequest,
  readBudgetRequestPage,
} from '../access/budget-requests.store.ts';
import { raiseBudget, updateBudget } from '../access/budgets.store.ts';
import { hadKey } from '../access/keys.store.ts';
import type { Space } from '../access/spaces.store.ts';
import { raiseEvents } from '../alerts/events.store.ts';
import type { Queryable } from '../database/database.ts';
import { newId } from '../kernel/ids.ts';
import { windowOf } from '../kernel/period.ts';
import { Problem } from '../kernel/problem.ts';
import { kstOf } from '../kernel/time.ts';
import { addUnits, printUnits } from '../kernel/units.ts';
import { PER_KEY, PER_MEMBER, valueIdOf } from '../metering/budgets/match-budgets.ts';
import { budgetNamed } from './budgets.ts';
import { keyNamed, memberNamed } from './named-records.ts';
import { change, read } from './operation.ts';
import { answeredPage, wantedPage } from './page.ts';
import { shownTime, unitsOf } from './read-input.ts';

const ask = change('budgets.ask', async ({ tx, space, now, actor }, input) => {
  const budget = await budgetNamed(tx, space, input.budget);
  const value = await valueAskedFor(tx, { space, budget }, input.value);
  const asked = {
    id: newId('breq', now),
    spaceId: space.id,
    budgetId: budget.id,
    budget: budget.name,
    window: windowOf(budget.period, now),
    valueId: value === null ? '' : valueIdOf(value),
    value: input.value ?? null,
    amount: unitsOf(input.amount),
    note: input.note ?? null,
    askedBy: actor.name,
    createdAt: now,
  };
  if (!(await insertBudgetRequest(tx, asked)))
    throw new Problem('conflict', {
      detail: `You have asked for more of ${budget.name} already, and nobody has decided yet.`,
    });
  const data = {
    space: space.name,
    budget: budget.name,
    ...(asked.value !== null && { value: asked.value }),
    amount: printUnits(asked.amount),
    asked_by: asked.askedBy,
    ...(asked.note !== null && { note: asked.note }),
    request_id: asked.id,
  };
  const event = { kind: 'budget.requested', spaceId: space.id, subject: asked.id } as const;
  await raiseEvents(tx, [{ ...event, period: kstOf(now), threshold: '', data }], now);
  const answer = shown({ ...asked, state: 'pending', decidedBy: null, decidedAt: null });
  return { answer, subject: budget.name, after: answer };
});

const list = read('budgetRequests.list', async ({ db, space, own }, input) => {
  const of = { spaceId: space.id, state: input.state ?? null, askedBy: own?.email ?? null };
  return answeredPage(await readBudgetRequestPage(db, { ...of, ...wantedPage(input) }), shown);
});

const decide = change('budgetRequests.decide', async ({ tx, space, now, actor }, input) => {
  const { decision } = input;
  const asked = await requestNamed(tx, space, input.budget_request);
  if (asked.state !== 'pending')
    throw new Problem('conflict', { detail: `${asked.decidedBy} has decided already: ${asked.state}.` });
  const amount = input.amount === undefined ? asked.amount : unitsOf(input.amount);
  const budget = await budgetNamed(tx, space, asked.budgetId);
  if (decision === 'once') {
    const window = windowOf(budget.period, now);
    await raiseBudget(tx, { budgetId: budget.id, window, valueId: asked.valueId }, amount);
  }
  if (decision === 'always')
    await updateBudget(tx, budget.id, { ...budget, amount: addUnits(budget.amount, amount) });
  const state = ({ once: 'approved_once', always: 'approved', decline: 'declined' } as const)[decision];
  await decideBudgetRequest(tx, asked.id, { state, amount, decidedBy: actor.name, now });
  const answer = shown({ ...asked, amount, state, decidedBy: actor.name, decidedAt: now });
  return { answer, subject: budget.name, before: shown(asked), after: answer };
});

export const budgetRequestOperations = [ask, list, decide] as const;

/** As the budget counts it: the id of a key or a member. Null: there is one budget for all. */
async function valueAskedFor(
  db: Queryable,
  { space, budget }: { space: Space; budget: SpaceBudget },
  value: string | undefined,
): Promise<string | null> {
  if (budget.per === null) {
    if (value === undefined) return null;
    throw new Problem('invalid_parameter', {
      detail: `${budget.name} is one budget for all, so no value can be named.`,
      param: 'value',
    });
  }
  if (value === undefined)
    throw new Problem('invalid_parameter', {
      detail: `Each ${budget.per} has its own ${budget.name}: name the value for which you ask.`,
      param: 'value',
    });
  // Refusals name keys by their ids.
  if (budget.per === PER_KEY && (await hadKey(db, { id: value, spaceId: space.id, memberId: null })))
    return value;
  if (budget.per === PER_KEY) return (await keyNamed(db, { space, own: null }, value)).id;
  return budget.per === PER_MEMBER ? (await memberNamed(db, space, value)).id : value;
}

async function requestNamed(db: Queryable, space: Space, id: string): Promise<ListedBudgetRequest> {
  const found = await findBudgetRequest(db, { spaceId: space.id, id });
  if (found !== null) return found;
  throw new Problem('not_found', {
    detail: `There is no request ${id} in ${space.name}.`,
    param: 'budget_request',
  });
}

function shown(asked: ListedBudgetRequest) {
  const { id, budget, value, amount, note, askedBy, state, createdAt, decidedBy, decidedAt } = asked;
  return {
    id,
    budget,
    value,
    amount: printUnits(amount),
    note,
    asked_by: askedBy,
    state,
    created_at: kstOf(createdAt),
    decided_by: decidedBy,
    decided_at: shownTime(decidedAt),
  };
}
