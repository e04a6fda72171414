/** Reads whether, and how openly, the model is to think. */
import type { ModelTraits } from '../brain/models.ts';
import { type Json, record } from '../json.ts';
import type { ModelRules, ThinkingType } from './model-rules.ts';
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
  between_tools: new Set(['type', 'display']),
};
const BUDGET_LEAST = 1_024;
/** The efforts at which a model that thinks of its own accord does not let thinking be switched off. */
const ALWAYS_THOUGHT = ['xhigh', 'max'];

/** `outputTokensMax` is null where there is no output to speak of. */
export function readThinking(
  body: Json,
  { traits, rules }: { traits: ModelTraits; rules: ModelRules },
  outputTokensMax: number | null,
): Thinking {
  const byDefault = rules.thinksByDefault && traits.reasons;
  if (body.thinking == null)
    return byDefault ? { on: true, shown: rules.shownByDefault, blocksRequired: false } : OFF;
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
  if (!rules.thinking.includes(type as ThinkingType)) throw unsupportedType(type, rules);
  if (type === 'disabled' || type === 'between_tools') {
    checkOff(type, record(body.output_config)?.effort, rules);
    return OFF;
  }
  if (!traits.reasons) throw invalid(`${type} thinking is not supported on this model`);
  if (type === 'enabled') checkBudget(thinking.budget_tokens, outputTokensMax);
  const { display } = thinking;
  if (display != null && display !== 'summarized' && display !== 'omitted') {
    throw shouldBe(`thinking.${type}.display`, "'summarized' or 'omitted'");
  }
  const shown = display == null ? rules.shownByDefault : display === 'summarized';
  return { on: true, shown, blocksRequired: type === 'enabled' };
}

function unsupportedType(type: string, { thinking }: ModelRules): Error {
  if (!thinking.includes('adaptive')) return invalid(`${type} thinking is not supported on this model`);
  if (type === 'disabled' && thinking.includes('between_tools')) {
    return invalid(
      '"thinking.type.disabled" is not supported for this model. To turn thinking off on this model, send "thinking": {"type": "between_tools"}.',
    );
  }
  return invalid(
    `"thinking.type.${type}" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.`,
  );
}

function checkOff(type: string, effort: unknown, rules: ModelRules): void {
  if (!rules.thinksByDefault || !ALWAYS_THOUGHT.includes(String(effort))) return;
  const state = type === 'disabled' ? 'thinking is disabled' : '"thinking.type.between_tools" is set';
  throw invalid(
    `output_config.effort '${effort}' is not supported when ${state} on this model. Use effort 'high' or below, or enable thinking.`,
  );
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
