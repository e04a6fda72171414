/** The rules that chat and responses requests share. Pure. */
import { effortOfBudget } from '../../catalog/fit-reasoning.ts';
import { CannotCarry, type TextCall } from '../../text/text-call.ts';

export const USER_CHARACTERS_MAX = 64;

/** A penalty of zero is the default, so it can be left out. */
export function rejectPenalties({ frequencyPenalty, presencePenalty }: TextCall): void {
  if ((frequencyPenalty ?? 0) !== 0) throw new CannotCarry('frequencyPenalty');
  if ((presencePenalty ?? 0) !== 0) throw new CannotCarry('presencePenalty');
}

/** The effort level; for a model that is not known, a budget in tokens becomes the nearest level. */
export function effortOf(reasoning: NonNullable<TextCall['reasoning']>): string | null {
  const { effort, tokensMax } = reasoning;
  return effort ?? effortOfBudget(tokensMax);
}
