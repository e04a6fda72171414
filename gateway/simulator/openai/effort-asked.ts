/** Reads how much a model is asked to reason, from the field that its maker has for it. */
import { type Json, record } from '../json.ts';
import type { ModelRules } from './model-rules.ts';
import { unsupportedEffortValue, unsupportedParameter } from './rule-refusals.ts';

/** What of a request the rules are about, wherever its API has it. */
export interface Ruled {
  readonly api: 'chat' | 'responses';
  readonly model: string;
  readonly body: Json;
  readonly rules: ModelRules;
}

const OFF = ['none', 'disabled'];

export function isOff(effort: string): boolean {
  return OFF.includes(effort);
}

export function readEffortAsked(asked: Ruled): string {
  const { body, rules } = asked;
  if (rules.maker === 'deepseek' && record(body.thinking)?.type === 'disabled') return 'disabled';
  if (rules.maker !== 'deepseek' && body.thinking != null) throw unsupportedParameter('thinking');
  const effort = asked.api === 'chat' ? body.reasoning_effort : record(body.reasoning)?.effort;
  if (effort == null) return rules.effortDefault;
  checkEffort(String(effort), asked);
  return String(effort);
}

function checkEffort(effort: string, asked: Ruled): void {
  const { efforts, maker } = asked.rules;
  if (efforts === null || efforts.includes(effort)) return;
  const field = asked.api === 'chat' ? 'reasoning_effort' : 'reasoning.effort';
  throw efforts.length === 0
    ? unsupportedParameter(field, maker)
    : unsupportedEffortValue(effort, { ...asked, efforts, field });
}
