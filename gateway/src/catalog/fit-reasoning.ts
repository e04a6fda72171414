/** What a caller asks of a model's thinking, as the model takes it. Pure. */
import { CannotCarry, type Reasoning } from '../text/text-call.ts';
import { type Effort, effortNames, type ModelTraits } from './model-traits.ts';

/**
 * Null: nothing is said about thinking, and the model does as it does by default. Otherwise an effort (`none`: off) or a
 * budget (0: off) that the model has, or neither: it thinks as much as it likes.
 */
export function fitReasoning(asked: Reasoning | null, takes: ModelTraits): Reasoning | null {
  if (asked === null || takes.thinking === 'unknown') return asked;
  if (takes.thinking === 'none') return null;
  if (isOff(asked)) return offFor(asked, takes);
  const wanted = readEffort(asked.effort);
  // Only how it is shown was asked for.
  const unsaid = wanted === null && asked.tokensMax === null;
  if (unsaid && !takes.thinksByDefault && !asked.adaptive) return null;
  const effort = unsaid && !takes.thinksByDefault ? DEFAULT_EFFORT : wanted;
  if (takes.thinking === 'budget') return { ...asked, ...budgetFor(asked, effort, takes) };
  const said = effort ?? effortOfBudget(asked.tokensMax);
  return { ...asked, effort: said === null ? null : nearestEffort(said, takes), tokensMax: null };
}

export function isOff({ effort, tokensMax }: Reasoning): boolean {
  return effort === 'none' || (effort === null && tokensMax === 0);
}

/** Whether the model thinks in a call that was fitted to it. */
export function thinksWith(fitted: Reasoning | null, takes: ModelTraits): boolean {
  if (takes.thinking === 'none') return false;
  return fitted === null ? takes.thinksByDefault : !isOff(fitted);
}

/** Whether the model can think; null: unknown. */
export function thinkingOf({ thinking }: ModelTraits): boolean | null {
  return thinking === 'unknown' ? null : thinking !== 'none';
}

/** Of a model that is switched on without a level: as much as a Claude model thinks then. */
const DEFAULT_EFFORT = 'high';

function readEffort(effort: string | null): Effort | null {
  if (effort === null) return null;
  if (isEffort(effort)) return effort;
  throw new CannotCarry('reasoning', `of ${JSON.stringify(effort.slice(0, 40))}`);
}

export function isEffort(word: string): word is Effort {
  return effortNames.some((name) => name === word);
}

/** A model that has to think thinks as little as it can. */
function offFor(asked: Reasoning, takes: ModelTraits): Reasoning {
  if (takes.thinkingOff !== 'no') return { ...asked, effort: 'none', tokensMax: null };
  const shown = false;
  if (takes.thinking === 'budget') return { effort: null, tokensMax: takes.budget.min, shown };
  return { effort: takes.efforts[0] ?? null, tokensMax: null, shown };
}

/** The next lower effort that the model has, so that it costs no more than was asked for; else its lowest. */
export function nearestEffort(effort: Effort, { efforts }: ModelTraits): Effort | null {
  const most = effortNames.indexOf(effort);
  return efforts.findLast((name) => effortNames.indexOf(name) <= most) ?? efforts[0] ?? null;
}

/** Up to how many tokens a budget stands for an effort. */
const BUDGETS: ReadonlyArray<readonly [number, Effort]> = [
  [2_048, 'low'],
  [8_192, 'medium'],
];

export function effortOfBudget(tokensMax: number | null): Effort | null {
  if (tokensMax === null) return null;
  if (tokensMax === 0) return 'minimal';
  return BUDGETS.find(([tokens]) => tokensMax <= tokens)?.[1] ?? 'high';
}

/** Dialects have budgets of their own for efforts; only the caller's own budget is kept within the range. */
function budgetFor(
  { tokensMax }: Reasoning,
  effort: Effort | null,
  { budget }: ModelTraits,
): Pick<Reasoning, 'effort' | 'tokensMax'> {
  if (tokensMax === null) return { effort, tokensMax };
  const most = budget.max ?? Number.POSITIVE_INFINITY;
  return { effort: null, tokensMax: Math.max(budget.min, Math.min(most, tokensMax)) };
}
