/** Compares the budgets of a space with the file. Pure. */
import type { InputOf } from '../../../contract/administration/admin-endpoints.ts';
import { readTags } from '../../../contract/tags.ts';
import { type Change, differing, given, notInFile, type Plan, step } from './change.ts';
import type { CurrentBudget } from './current-state.ts';
import type { FieldPath, Mistake } from './read-state-file.ts';
import type { BudgetEntry } from './state-file.ts';

interface BudgetsAt {
  readonly space: string;
  readonly path: FieldPath;
}

/** What a budget counts stays as it is: what another one counts would be another sum. */
const counted = ['window', 'key', 'member', 'model', 'end_user', 'session', 'tags', 'per'] as const;
const changeable = ['amount', 'hard'] as const;

export function planBudgets(
  entries: Readonly<Record<string, BudgetEntry>>,
  current: readonly CurrentBudget[],
  at: BudgetsAt,
): Plan {
  const budgets = new Map(current.map((budget) => [budget.name, budget]));
  const changes: Change[] = [];
  const mistakes: Mistake[] = [];
  for (const [name, entry] of Object.entries(entries)) {
    const budget = budgets.get(name);
    if (entry.state === 'absent') {
      if (budget !== undefined) changes.unshift(removal(name, at));
    } else if (budget === undefined) {
      mistakes.push(...missing(name, entry, at));
      changes.push(creation(name, entry, at));
    } else {
      mistakes.push(...fixed(entry, budget, at));
      changes.push(...update(entry, budget, at));
    }
  }
  const unknown = current.map(({ name }) => name).filter((name) => !Object.hasOwn(entries, name));
  return { changes, drift: notInFile('budget', at.space, unknown), mistakes };
}

function removal(name: string, { space }: BudgetsAt): Change {
  const steps = [step('budgets.remove', { space, budget: name })];
  return { action: 'remove', subject: 'budget', space, name, fields: [], steps };
}

function creation(name: string, { state: _state, ...entry }: BudgetEntry, { space }: BudgetsAt): Change {
  const steps = [step('budgets.add', { space, name, ...entry } as InputOf<'budgets.add'>)];
  const fields = given(entry, [...changeable, ...counted]);
  return { action: 'create', subject: 'budget', space, name, fields, steps };
}

function update({ amount, hard }: BudgetEntry, budget: CurrentBudget, { space }: BudgetsAt): Change[] {
  const { name } = budget;
  const fields = differing({ amount, hard }, budget, changeable);
  if (fields.length === 0) return [];
  const steps = [step('budgets.change', { space, budget: name, amount, hard })];
  return [{ action: 'update', subject: 'budget', space, name, fields, steps }];
}

function missing(name: string, entry: BudgetEntry, { path }: BudgetsAt): Mistake[] {
  const required = ['amount', 'window'] as const;
  return required
    .filter((field) => entry[field] === undefined)
    .map((field) => ({ path: [...path, name, field], message: 'is required.' }));
}

function fixed(entry: BudgetEntry, budget: CurrentBudget, { path }: BudgetsAt): Mistake[] {
  return counted
    .filter(
      (field) =>
        entry[field] !== undefined && inOneForm(field, entry[field]) !== inOneForm(field, budget[field]),
    )
    .map((field) => ({
      path: [...path, budget.name, field],
      message: `cannot change: it is ${budget[field] ?? 'none'}. Choose another name, or remove this budget first with state: absent.`,
    }));
}

/** Addresses in lower case, tags in the order of their keys. */
function inOneForm(field: (typeof counted)[number], value: string | null | undefined): string | null {
  if (value === null || value === undefined) return null;
  if (field === 'member') return value.toLowerCase();
  if (field !== 'tags') return value;
  const tags = readTags(value);
  return typeof tags === 'string' ? value : JSON.stringify([...tags].toSorted());
}
