/** Reads whether, and how openly, the model is to think. */
import type { ModelTraits } from '../brain/models.ts';
import { type Json, record } from '../json.ts';
import { checkFields, invalid, required, shouldBe } from './refusals.ts';

export interface Thinking {
  readonly on: boolean;
  /** The text is told; otherwise the signature alone. */
  readonly shown: boolean;
  /** Thinking that led to calls of tools has to come back with their results. */
  readonly blocksRequired: boolean;
}

const OFF: Thinking = { on: false, shown: false, blocksRequired: false };
const FIELDS: Readonly<Record<string, ReadonlySet<string>>> = {
  enabled: new Set(['type', 'budget_tokens', 'display']),
  adaptive: new Set(['type', 'display']),
  disabled: new Set(['type']),
};
const BUDGET_LEAST = 1_024;

/** `outputTokensMax` is null where there is no output to speak of. */
export function readThinking(body: Json, traits: ModelTraits, outputTokensMax: number | null): Thinking {
  if (body.thinking == null) return OFF;
  const thinking = record(body.thinking);
  if (thinking === null) throw shouldBe('thinking', 'a valid dictionary or object to extract fields from');
  const type = String(thinking.type);
  const known = Object.hasOwn(FIELDS, type) ? FIELDS[type] : undefined;
  if (known === undefined) {
    throw invalid(
      `thinking: Input tag '${type}' found using 'type' does not match any of the expected tags: 'adaptive', 'disabled', 'enabled'`,
    );
  }
  checkFields(thinking, known, `thinking.${type}`);
  if (type === 'disabled') return OFF;
  if (!traits.reasons) throw invalid(`${type} thinking is not supported on this model`);
  if (type === 'enabled') checkBudget(thinking.budget_tokens, outputTokensMax);
  const { display } = thinking;
  if (display != null && display !== 'summarized' && display !== 'omitted') {
    throw shouldBe(`thinking.${type}.display`, "'summarized' or 'omitted'");
  }
  return { on: true, shown: display !== 'omitted', blocksRequired: type === 'enabled' };
}

function checkBudget(budget: unknown, outputTokensMax: number | null): void {
  if (budget === undefined) throw required('thinking.enabled.budget_tokens');
  if (typeof budget !== 'number' || !Number.isInteger(budget)) {
    throw shouldBe('thinking.enabled.budget_tokens', 'a valid integer');
  }
  if (budget < BUDGET_LEAST) {
    throw shouldBe('thinking.enabled.budget_tokens', `greater than or equal to ${BUDGET_LEAST}`);
  }
  if (outputTokensMax !== null && budget >= outputTokensMax) {
    throw invalid('`max_tokens` must be greater than `thinking.budget_tokens`.');
  }
}
