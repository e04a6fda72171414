/** Reads what goes to a model in the words of its maker: thinking, top_k, and one call at a time. */
import { readMessages } from '../anthropic/read-request.ts';
import type { Prompt } from '../brain/prompt.ts';
import { type Json, record } from '../json.ts';
import type { RequestHead } from '../script.ts';
import { asMessages } from './as-messages.ts';
import type { Maker } from './makers.ts';
import type { Message } from './read-messages.ts';
import { wordsOfTheModel } from './read-tools.ts';
import { invalid, modelSays } from './refusals.ts';

export interface AdditionalRules {
  readonly model: string;
  readonly maker: Maker;
  readonly messages: readonly Message[];
}

type Additional = Pick<Prompt, 'effort' | 'thinksAloud' | 'parallelTools'>;

const UNSAID: Additional = { effort: 'none', thinksAloud: false, parallelTools: true };

export function readAdditional(body: Json, rules: AdditionalRules): Additional {
  const given = body.additionalModelRequestFields;
  const fields = given === undefined ? {} : record(given);
  if (fields === null) throw invalid('additionalModelRequestFields is not an object.');
  switch (rules.maker.name) {
    case 'anthropic':
      return readClaude(fields, body, rules);
    case 'amazon':
      return readNova(fields, body, rules.model);
    case 'openai':
    case 'moonshot':
      return readEffort(fields, rules);
    case 'other':
      refuseOthers(fields, []);
      return UNSAID;
  }
}

/** The model's own protocol has the last word. */
function readClaude(fields: Json, body: Json, { model, messages }: AdditionalRules): Additional {
  const known = ['thinking', 'output_config', 'top_k', 'tool_choice'];
  const foreign = Object.keys(fields).find((name) => !known.includes(name));
  if (foreign !== undefined) throw modelSays(`${foreign}: Extra inputs are not permitted`);
  if (record(fields.tool_choice)?.type === 'none') {
    throw modelSays(
      "tool_choice: Input tag 'none' found using 'type' does not match any of the expected tags: 'auto', 'any', 'tool'",
    );
  }
  const { prompt } = wordsOfTheModel(() => readMessages(asMessages(body, messages, model), HEAD));
  const { effort, thinksAloud, parallelTools } = prompt;
  return { effort, thinksAloud, parallelTools };
}

const HEAD: RequestHead = {
  headers: { 'anthropic-version': '2023-06-01' },
  query: new URLSearchParams(),
  params: {},
};

const NOVA_EFFORTS = ['low', 'medium', 'high'];

function readNova(fields: Json, body: Json, model: string): Additional {
  refuseOthers(fields, ['reasoningConfig', 'inferenceConfig']);
  const given = fields.reasoningConfig;
  if (given === undefined) return UNSAID;
  const { type, maxReasoningEffort: effort } = record(given) ?? {};
  const told = type === 'disabled' || (type === 'enabled' && NOVA_EFFORTS.includes(String(effort)));
  if (!told || !model.includes('nova-2')) {
    throw modelSays(
      'Malformed input request: the provided reasoning config value is invalid, please reformat your input and try again.',
    );
  }
  if (type === 'disabled') return UNSAID;
  const set = Object.keys(record(body.inferenceConfig) ?? {}).find((name) => name !== 'stopSequences');
  if (effort === 'high' && set !== undefined) {
    throw modelSays(`Malformed input request: ${set} must be unset when maxReasoningEffort is high.`);
  }
  return { ...UNSAID, effort: String(effort), thinksAloud: true };
}

/** Open models take the effort flat; the newer ones take it as their own protocol has it. */
function readEffort(fields: Json, { model, maker }: AdditionalRules): Additional {
  const flat = maker.name === 'moonshot' || model.includes('gpt-oss');
  refuseOthers(fields, [flat ? 'reasoning_effort' : 'reasoning']);
  const effort = flat ? fields.reasoning_effort : record(fields.reasoning)?.effort;
  const efforts = flat ? NOVA_EFFORTS : ['none', ...NOVA_EFFORTS, 'xhigh', 'max'];
  if (effort === undefined) return { ...UNSAID, effort: 'medium' };
  if (!efforts.includes(String(effort))) throw modelSays(`Invalid value: '${effort}'.`);
  return { ...UNSAID, effort: String(effort), thinksAloud: flat };
}

function refuseOthers(fields: Json, known: readonly string[]): void {
  const foreign = Object.keys(fields).find((name) => !known.includes(name));
  if (foreign === undefined) return;
  throw modelSays(
    `Malformed input request: #: extraneous key [${foreign}] is not permitted, please reformat your input and try again.`,
  );
}
