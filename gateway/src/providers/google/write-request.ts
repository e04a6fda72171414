/** Writes a neutral call as a Gemini request. Pure. */
import type { ModelTraits } from '../../catalog/model-traits.ts';
import { arrangeTurns } from '../../text/arrange-turns.ts';
import { type PlainCall, withPlainTools } from '../../text/plain-tools.ts';
import { CannotCarry, type Reasoning, type TextCall } from '../../text/text-call.ts';
import type { TextTarget } from '../provider.ts';
import { withoutNulls } from '../without-nulls.ts';
import { writeContents } from './write-contents.ts';

export function writeGoogleRequest(asked: TextCall, target: TextTarget): object {
  const call = withPlainTools(asked);
  rejectUnsupportedFields(call);
  const { system, messages } = arrangeTurns(call.messages);
  const config = writeConfig(call, target);
  return {
    ...(system.length > 0 && {
      systemInstruction: { parts: system.map(({ text }) => ({ text })) },
    }),
    contents: writeContents(messages, target.upstreamModel),
    ...(call.tools.length > 0 && { tools: [{ functionDeclarations: call.tools.map(writeTool) }] }),
    ...writeToolChoice(call),
    ...(Object.keys(config).length > 0 && { generationConfig: config }),
  };
}

const STOPS_MAX = 5;
const ANSWERS_MAX = 8;

function rejectUnsupportedFields(call: TextCall): void {
  // A single tool is hardly ever called in parallel, and libraries that fill a schema forbid it by habit.
  if (call.parallelTools === false && call.tools.length > 1) throw new CannotCarry('parallelTools');
  if (call.stop.length > STOPS_MAX) throw new CannotCarry('stop', `with more than ${STOPS_MAX} items`);
  if (call.answers > ANSWERS_MAX) throw new CannotCarry('answers', `above ${ANSWERS_MAX}`);
  if (call.verbosity !== null) throw new CannotCarry('verbosity');
}

function writeConfig(call: TextCall, target: TextTarget): object {
  return {
    ...withoutNulls({
      maxOutputTokens: call.outputTokensMax,
      temperature: call.temperature,
      topP: call.topP,
      topK: call.topK,
      seed: call.seed,
      frequencyPenalty: call.frequencyPenalty,
      presencePenalty: call.presencePenalty,
    }),
    ...(call.stop.length > 0 && { stopSequences: call.stop }),
    ...(call.answers > 1 && { candidateCount: call.answers }),
    ...writeFormat(call.responseFormat),
    ...(call.reasoning !== null && { thinkingConfig: writeThinking(call.reasoning, target.takes) }),
    ...(target.makesImages && { responseModalities: ['TEXT', 'IMAGE'] }),
    ...(target.imageAspect !== undefined && { imageConfig: { aspectRatio: target.imageAspect } }),
  };
}

/** Models before Gemini 3 have a budget in tokens. */
const EFFORT_TOKENS: Readonly<Record<string, number>> = {
  none: 0,
  minimal: 0,
  low: 1_024,
  medium: 8_192,
  high: 24_576,
  xhigh: 32_768,
  max: 32_768,
};

/** Newer models have levels: the efforts, in capital letters. */
function writeThinking({ effort, tokensMax, shown }: Reasoning, takes: ModelTraits): object {
  if (takes.thinking === 'effort')
    return { includeThoughts: shown, ...withoutNulls({ thinkingLevel: effort?.toUpperCase() ?? null }) };
  const thinkingBudget = tokensMax ?? (effort === null ? null : budgetOf(effort, takes));
  // Asking for thoughts with a budget of zero is an error.
  return { includeThoughts: shown && thinkingBudget !== 0, ...withoutNulls({ thinkingBudget }) };
}

function budgetOf(effort: string, { budget, thinkingOff }: ModelTraits): number {
  const tokens = EFFORT_TOKENS[effort];
  if (tokens === undefined) throw new CannotCarry('reasoning', `of ${JSON.stringify(effort)}`);
  if (tokens === 0 && thinkingOff === 'yes') return 0;
  return Math.max(budget.min, Math.min(budget.max ?? tokens, tokens));
}

function writeFormat(format: TextCall['responseFormat']): object {
  if (format.type === 'text') return {};
  if (format.type === 'json_object') return { responseMimeType: 'application/json' };
  const { schema, description } = format;
  return {
    responseMimeType: 'application/json',
    // The description of the schema wins; the one of the format has no other field.
    responseJsonSchema: { ...withoutNulls({ description }), ...schema },
  };
}

function writeTool({ name, description, parameters }: TextCall['tools'][number]): object {
  return { name, ...withoutNulls({ description, parametersJsonSchema: parameters }) };
}

function writeToolChoice({ toolChoice, tools }: PlainCall): object {
  if (toolChoice === null) return {};
  if (typeof toolChoice === 'object') {
    return choiceOf({ mode: 'ANY', allowedFunctionNames: [toolChoice.name] });
  }
  if (toolChoice === 'required') return choiceOf({ mode: 'ANY' });
  // Google rejects a tool choice without tools.
  return tools.length === 0 ? {} : choiceOf({ mode: toolChoice === 'none' ? 'NONE' : 'AUTO' });
}

function choiceOf(functionCallingConfig: object): object {
  return { toolConfig: { functionCallingConfig } };
}
