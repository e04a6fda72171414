/** Writes a neutral call as a Converse request. Pure. */
import { placeSystem } from '../../text/place-system.ts';
import { type PlainCall, withPlainTools } from '../../text/plain-tools.ts';
import { CannotCarry, type TextCall, type TextField, type TextMessage } from '../../text/text-call.ts';
import type { TextTarget } from '../provider.ts';
import { withoutNulls } from '../without-nulls.ts';
import { cachePoint, takesCachePoints } from './cache-point.ts';
import { writeBedrockMessages } from './write-messages.ts';

export function writeBedrockRequest(asked: TextCall, target: Pick<TextTarget, 'upstreamModel'>): object {
  const call = withPlainTools(asked);
  rejectUnsupportedFields(call);
  const { system, messages } = placeSystem(call.messages);
  const config = writeConfig(call);
  const point = takesCachePoints(target.upstreamModel) ? cachePoint : () => [];
  return {
    messages: writeBedrockMessages(messages, point),
    ...(system.length > 0 && { system: system.flatMap(({ text, cache }) => [{ text }, ...point(cache)]) }),
    ...(Object.keys(config).length > 0 && { inferenceConfig: config }),
    ...writeTools(call, point),
  };
}

/**
 * Fields that Converse does not have; some models accept a few of them in model-specific fields. The
 * reasoning effort and the end user are hints, so they are left out.
 */
const absent = ['topK', 'seed', 'verbosity'] as const satisfies Array<TextField & keyof TextCall>;

function rejectUnsupportedFields(call: TextCall): void {
  const field = absent.find((name) => call[name] !== null);
  if (field !== undefined) throw new CannotCarry(field);
  // A penalty of zero is the default, so it can be left out.
  if ((call.frequencyPenalty ?? 0) !== 0) throw new CannotCarry('frequencyPenalty');
  if ((call.presencePenalty ?? 0) !== 0) throw new CannotCarry('presencePenalty');
  if (call.answers > 1) throw new CannotCarry('answers', 'above 1');
  if ((call.temperature ?? 0) > 1) throw new CannotCarry('temperature', 'above 1');
  if (call.responseFormat.type !== 'text') throw new CannotCarry('responseFormat');
  // With one tool there is nothing to call in parallel.
  if (call.parallelTools === false && call.tools.length > 1) throw new CannotCarry('parallelTools');
}

function writeConfig({ outputTokensMax, temperature, topP, stop }: TextCall): object {
  return {
    ...withoutNulls({ maxTokens: outputTokensMax, temperature, topP }),
    ...(stop.length > 0 && { stopSequences: stop }),
  };
}

function writeTools({ tools, toolChoice, messages }: PlainCall, point: typeof cachePoint): object {
  if (toolChoice === 'none') {
    // Converse has no `none`. Sending no tools has the same effect, unless the history has tool calls.
    if (messages.some(callsTools)) throw new CannotCarry('toolChoice', '"none" after tools were called');
    return {};
  }
  if (tools.length === 0) return {};
  const choice = toolChoice === null ? {} : { toolChoice: writeToolChoice(toolChoice) };
  return {
    toolConfig: { tools: tools.flatMap((tool) => [writeTool(tool), ...point(tool.cache)]), ...choice },
  };
}

function callsTools(message: TextMessage): boolean {
  if (message.role === 'assistant') return message.parts.some(({ type }) => type === 'tool_call');
  return message.role === 'tool';
}

const NO_PARAMETERS = { type: 'object', properties: {} };

function writeTool({ name, description, parameters }: TextCall['tools'][number]): object {
  const inputSchema = { json: parameters ?? NO_PARAMETERS };
  return { toolSpec: { name, ...withoutNulls({ description }), inputSchema } };
}

function writeToolChoice(choice: Exclude<NonNullable<PlainCall['toolChoice']>, 'none'>): object {
  if (typeof choice === 'object') return { tool: { name: choice.name } };
  return choice === 'required' ? { any: {} } : { auto: {} };
}
