/** Which budgets a call counts in: by its key, its model, and what it is attributed to. Pure. */
import { hash } from 'node:crypto';
import type { Budget } from '../../access/budget.ts';
import type { Principal } from '../../access/principal.ts';
import { type Period, windowOf } from '../../kernel/period.ts';
import type { Instant } from '../../kernel/time.ts';
import {
  type AttributionValues,
  END_USER,
  ID_CHARACTERS,
  SESSION,
  tagDimension,
} from '../attribution/attribution.ts';

export const PER_KEY = 'key';
export const PER_MEMBER = 'member';
export const PER_MODEL = 'model';

/** A budget in which something counts, when it is charged. */
export interface CountedBudget {
  readonly id: string;
  readonly period: Period;
  /** Follows from the value; empty: the budget has no values of its own. */
  readonly valueId: string;
  /** Null also for a value that is not kept, because it is too long. */
  readonly value: string | null;
}

export interface MatchedBudget extends CountedBudget {
  readonly budget: Budget;
}

/** The budgets of a call. */
export interface CallBudgets {
  /** Of every model that may answer. */
  readonly all: readonly MatchedBudget[];
  /** What it may cost at most has to fit into one of them. */
  readonly hard: boolean;
  /** Those in which it counts if this model answers. */
  of(model: string): readonly MatchedBudget[];
}

/** Whether each value of something that calls are attributed to has a budget of its own. */
export function isPerDimension(per: string | null): per is string {
  return per !== null && per !== PER_KEY && per !== PER_MEMBER && per !== PER_MODEL;
}

export interface BudgetedCall {
  readonly principal: Pick<Principal, 'keyId' | 'memberId' | 'budgets'>;
  /** Those that may answer. */
  readonly models: readonly string[];
  /** Before they are bounded: a value that reports count as other has its own budget. Null: attributed to nothing. */
  readonly values: AttributionValues | null;
}

/** Null: it has none. */
export function matchBudgets(call: BudgetedCall): CallBudgets | null {
  const { budgets = [] } = call.principal;
  if (budgets.length === 0) return null;
  const byModel = new Map(call.models.map((model) => [model, matchedFor(model, call, budgets)]));
  const all = [...byModel.values()].flat();
  if (all.length === 0) return null;
  const different = [...new Map(all.map((one) => [purseOf(one), one])).values()];
  return {
    all: different,
    hard: different.some(({ budget }) => budget.hard),
    of: (model) => byModel.get(model) ?? matchedFor(model, call, budgets),
  };
}

/** The id of its purse, without the window. */
export function purseOf({ id, valueId }: Pick<CountedBudget, 'id' | 'valueId'>): string {
  return valueId === '' ? id : `${id}.${valueId}`;
}

function matchedFor(model: string, call: BudgetedCall, budgets: readonly Budget[]): MatchedBudget[] {
  const matched: MatchedBudget[] = [];
  for (const budget of budgets) {
    if (!selects(budget, model, call.values)) continue;
    const { id, period, per } = budget;
    if (per === null) {
      matched.push({ budget, id, period, valueId: '', value: null });
      continue;
    }
    const value = ownValueOf(per, model, call);
    // A call without the value has no budget of its own.
    if (value !== undefined) matched.push({ budget, id, period, valueId: valueIdOf(value), value });
  }
  return matched;
}

function selects(budget: Budget, model: string, values: AttributionValues | null): boolean {
  if (budget.model !== null && budget.model !== model) return false;
  if (budget.endUser !== null && values?.[END_USER] !== budget.endUser) return false;
  if (budget.session !== null && values?.[SESSION] !== budget.session) return false;
  for (const key of Object.keys(budget.tags))
    if (values?.[tagDimension(key)] !== budget.tags[key]) return false;
  return true;
}

function ownValueOf(
  per: string,
  model: string,
  { principal, values }: BudgetedCall,
): string | null | undefined {
  if (per === PER_KEY) return principal.keyId;
  if (per === PER_MEMBER) return principal.memberId ?? undefined;
  return per === PER_MODEL ? model : values?.[per];
}

/** What is too long to be kept shares one budget. */
export const NOT_KEPT = '*';

export function valueIdOf(value: string | null): string {
  return value === null ? NOT_KEPT : hash('sha256', value, 'base64url').slice(0, ID_CHARACTERS);
}

/** As it is stored with a call that is charged at `at`. */
export function countedText(budgets: readonly CountedBudget[], at: Instant): string {
  return JSON.stringify(
    budgets.map(({ id, valueId, value, period }) => [id, valueId, value, windowOf(period, at)]),
  );
}

/** As it is stored with work that is charged later; null: nothing. */
export function waitingText(budgets: readonly CountedBudget[]): string | null {
  if (budgets.length === 0) return null;
  return JSON.stringify(budgets.map(({ id, valueId, value, period }) => [id, valueId, value, period]));
}

export function readWaiting(text: string | null): readonly CountedBudget[] {
  if (text === null) return [];
  const stored = JSON.parse(text) as Array<[string, string, string | null, Period]>;
  return stored.map(([id, valueId, value, period]) => ({ id, valueId, value, period }));
}

/** The purses and windows of a stored call. */
export function readCounted(text: string): Array<{ purse: string; window: string }> {
  const stored = JSON.parse(text) as Array<[string, string, string | null, string]>;
  return stored.map(([id, valueId, , window]) => ({ purse: purseOf({ id, valueId }), window }));
}
