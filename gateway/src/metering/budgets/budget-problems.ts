/** What callers get when a hard budget does not suffice. Pure. */

import { printWindowEnd } from '../../kernel/period.ts';
import { Problem } from '../../kernel/problem.ts';
import { addUnits, printUnits, subtractUnits, type Units } from '../../kernel/units.ts';
import type { PurseRefusal } from '../purses/purse-refusal.ts';
import type { MatchedBudget } from './match-budgets.ts';

/** Running calls end soon. */
const HELD_RETRY_MS = 2_000;

interface RefusedCall {
  readonly budget: MatchedBudget;
  /** What it may cost. */
  readonly amount: Units;
  readonly spaceName: string;
  /** Where the console is; null: unknown. */
  readonly publicUrl: string | null;
}

export function budgetRefused(refusal: PurseRefusal, of: RefusedCall): Problem {
  const { reason, limit, spent, reserved, held, refused } = refusal;
  const { budget } = of.budget;
  const left = printUnits(subtractUnits(limit, addUnits(spent, reserved)));
  const used = { spent: printUnits(spent), reserved: printUnits(reserved), held: printUnits(held) };
  const resets = printWindowEnd(budget.period, refused.window ?? '');
  const needed = printUnits(of.amount);
  const sentences = [
    reason === 'spent' && `The budget ${nameOf(of.budget)} is used up.`,
    reason === 'large' &&
      `The call may cost ${needed} units, and the budget ${nameOf(of.budget)} has ${left} left. A lower output limit or a shorter prompt costs less.`,
    reason === 'held' &&
      `The budget ${nameOf(of.budget)} has ${left} units left, and ${used.held} are held for running calls. Send the call again in a few seconds.`,
    `${used.spent} of ${printUnits(limit)} units are spent${used.reserved === '0' ? '' : `, ${used.reserved} are reserved`}${used.held === '0' ? '' : `, ${used.held} are held`}.`,
    resets === null ? 'It is not reset.' : `It is reset at ${resets}.`,
    reason !== 'held' && howToGoOn(of),
  ];
  return new Problem(reason === 'held' ? 'budget_held' : 'budget_exceeded', {
    ...(reason === 'held' && { retryAfterMs: HELD_RETRY_MS }),
    detail: sentences.filter((sentence) => sentence !== false).join(' '),
    facts: {
      limit: 'budget',
      budget: budget.name,
      budget_id: budget.id,
      cap: printUnits(limit),
      ...used,
      ...(reason === 'large' && { needed }),
      ...(of.budget.value !== null && { value: of.budget.value }),
      ...(resets !== null && { resets_at: resets }),
    },
  });
}

function nameOf({ budget, value }: MatchedBudget): string {
  return value === null ? `"${budget.name}"` : `"${budget.name}" for ${value}`;
}

function howToGoOn({ budget: matched, spaceName, publicUrl }: RefusedCall): string {
  const { name } = matched.budget;
  const who = `An administrator of ${spaceName} can raise it`;
  const command = `tollgate budgets request "${name}"${matched.value === null ? '' : ` --value "${matched.value}"`} --units N`;
  if (publicUrl === null) return `${who}; ask with ${command}.`;
  const query = new URLSearchParams({ ask: name, ...(matched.value !== null && { value: matched.value }) });
  return `${who}; ask at ${publicUrl}/console/spaces/${spaceName}/budgets?${query}, or with ${command}.`;
}
