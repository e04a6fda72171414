/**
 * Fits a call to what its model takes, before a dialect writes it. What the model has another form for is changed, what
 * only tunes an answer is left out, and what would change its meaning is rejected, naming the caller's field.
 * docs/formats.md lists all of it. Pure.
 */
import { CannotCarry, type TextCall, type TextField } from '../text/text-call.ts';
import type { TextFeatures } from '../text/text-features.ts';
import { fitReasoning, thinksWith } from './fit-reasoning.ts';
import type { ModelTraits, RejectedField } from './model-traits.ts';

export function fitCall(call: TextCall, takes: ModelTraits): TextCall {
  rejectFields(call, takes);
  rejectPrefill(call, takes);
  rejectJsonWithTools(call, takes);
  const reasoning = forcedReasoning(call, takes);
  return { ...call, ...fitSampling(call, takes, thinksWith(reasoning, takes)), reasoning };
}

/** True if the caller requires a tool call. */
export function forcesTool({ toolChoice }: TextCall): boolean {
  if (toolChoice === null || typeof toolChoice === 'string') return toolChoice === 'required';
  return 'name' in toolChoice || toolChoice.mode === 'required';
}

/** Whether a call can be sent to chat completions. */
export function takesInChat({ hasTools, reasoning }: TextFeatures, takes: ModelTraits): boolean {
  if (takes.chat !== 'tools_without_thinking') return takes.chat === 'always';
  const thinks =
    reasoning === null ? takes.thinksByDefault : reasoning === 'on' || takes.thinkingOff === 'no';
  return !hasTools || !thinks;
}

/** A field with a value that has an effect. */
const isSet: Readonly<Record<RejectedField, (call: TextCall) => TextField | null>> = {
  stop: ({ stop }) => (stop.length > 0 ? 'stop' : null),
  penalties: ({ frequencyPenalty, presencePenalty }) => {
    if ((frequencyPenalty ?? 0) !== 0) return 'frequencyPenalty';
    return (presencePenalty ?? 0) === 0 ? null : 'presencePenalty';
  },
  seed: ({ seed }) => (seed === null ? null : 'seed'),
  answers: ({ answers }) => (answers > 1 ? 'answers' : null),
  parallel_tools: ({ parallelTools, tools }) =>
    parallelTools === false && tools.length > 1 ? 'parallelTools' : null,
};

function rejectFields(call: TextCall, { rejects }: ModelTraits): void {
  for (const name of rejects) {
    const field = isSet[name](call);
    if (field !== null) throw new CannotCarry(field);
  }
}

function rejectPrefill({ messages }: TextCall, { prefill }: ModelTraits): void {
  if (prefill) return;
  const last = messages.findLast(({ role }) => role !== 'system');
  if (last?.role !== 'assistant') return;
  throw new CannotCarry(
    'messages',
    'as the last message, because the assistant wrote it; end with a message of the user',
    last.at,
  );
}

function rejectJsonWithTools(call: TextCall, { jsonWithTools }: ModelTraits): void {
  if (jsonWithTools === 'always' || call.responseFormat.type === 'text' || call.tools.length === 0) return;
  if (jsonWithTools === 'never') throw new CannotCarry('responseFormat', 'together with tools');
  if (forcesTool(call)) throw new CannotCarry('responseFormat', 'together with a required tool call');
}

/** Where a model cannot do both, a required tool call is worth more than thinking. */
function forcedReasoning(call: TextCall, takes: ModelTraits): TextCall['reasoning'] {
  const reasoning = fitReasoning(call.reasoning, takes);
  if (!forcesTool(call) || takes.forcedTools === 'always') return reasoning;
  if (takes.forcedTools === 'never') throw new CannotCarry('toolChoice', 'that requires a tool call');
  if (!thinksWith(reasoning, takes)) return reasoning;
  if (!takes.thinksByDefault) return null;
  if (takes.thinkingOff !== 'yes')
    throw new CannotCarry('toolChoice', 'that requires a tool call, because it always thinks');
  return { effort: 'none', tokensMax: null, shown: false };
}

/** The values that providers take as if they were not set. */
export const TEMPERATURE_DEFAULT = 1;
const TOP_P_DEFAULT = 1;

type Sampling = Pick<TextCall, 'temperature' | 'topP' | 'topK'>;

/** Without what the model does not take. */
export function fitSampling(
  { temperature, topP, topK }: Sampling,
  { sampling, temperatureWithTopP }: ModelTraits,
  thinks: boolean,
): Sampling {
  if (sampling === 'never' || (sampling === 'without_thinking' && thinks))
    return { temperature: null, topP: null, topK: null };
  if (temperatureWithTopP || temperature === null || topP === null) return { temperature, topP, topK };
  // The temperature wins, unless it is the default.
  const own = temperature !== TEMPERATURE_DEFAULT || topP === TOP_P_DEFAULT;
  return { temperature: own ? temperature : null, topP: own ? null : topP, topK };
}
