/** Errors of a translated messages call, in Anthropic's form (contract/messages-refusal.ts). */
import { EXTRA_INPUT, messagesProblem } from '../../../contract/messages-refusal.ts';
import type { Problem } from '../../../kernel/problem.ts';

/** A field without a neutral meaning. */
export function extraInput(param: string, model: string): Problem {
  return messagesProblem(param, `${EXTRA_INPUT}. The model ${model} does not take this field; leave it out.`);
}

/** A type of block, tool or source without a neutral meaning. */
export function unsupportedKind(path: string, kind: string, model: string): Problem {
  const named = kind.length > KIND_CHARACTERS_MAX ? `${kind.slice(0, KIND_CHARACTERS_MAX)}…` : kind;
  return messagesProblem(
    `${path}.type`,
    `Input should not be '${named}'. The model ${model} does not take this type; leave it out.`,
  );
}

const KIND_CHARACTERS_MAX = 60;

/** A field that the dialect of the model does not support, or only within limits. */
export function rejectMessagesField(name: string, limit: string, model: string): Problem {
  const param = name.replace(/ \(.*/, '');
  if (limit === '' && param === name) return extraInput(param, model);
  const what = param === name ? 'this field' : name.slice(param.length + 2, -1);
  return messagesProblem(
    param,
    `The model ${model} does not take ${what}${limit === '' ? '' : ` ${limit}`}.`,
  );
}
