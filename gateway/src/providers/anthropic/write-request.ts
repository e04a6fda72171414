/** A neutral call as a request to Anthropic. Pure. */
import { CannotCarry, type TextCall, type TextMessage } from '../../text/text-call.ts';
import type { TextTarget } from '../provider.ts';
import { writeMessages } from './write-messages.ts';
import { capAndThinking } from './write-thinking.ts';

export function writeMessageRequest(call: TextCall, target: TextTarget): object {
  refuse(call);
  const system = leadingSystem(call.messages);
  const messages = writeMessages(call.messages.slice(system.length));
  const { tools, responseFormat } = call;
  return {
    model: target.upstreamModel,
    messages,
    ...capAndThinking(call, target, messages),
    ...writeSystem(system),
    ...(call.stream && { stream: true }),
    ...(tools.length > 0 && { tools: tools.map(writeTool), ...writeToolChoice(call) }),
    ...(responseFormat.type === 'json_schema' && {
      output_config: { format: { type: 'json_schema', schema: responseFormat.schema } },
    }),
    ...said({ temperature: call.temperature, top_p: call.topP, top_k: call.topK }),
    ...(call.stop.length > 0 && { stop_sequences: call.stop }),
    ...(call.user !== null && { metadata: { user_id: call.user } }),
  };
}

const TEMPERATURE_MAX = 1;

function refuse(call: TextCall): void {
  if (call.answers > 1) throw new CannotCarry('answers', 'above 1');
  if (call.seed !== null) throw new CannotCarry('seed');
  // Zero is what "no penalty" is written as.
  if ((call.frequencyPenalty ?? 0) !== 0) throw new CannotCarry('frequencyPenalty');
  if ((call.presencePenalty ?? 0) !== 0) throw new CannotCarry('presencePenalty');
  if (call.verbosity !== null) throw new CannotCarry('verbosity');
  if ((call.temperature ?? 0) > TEMPERATURE_MAX)
    throw new CannotCarry('temperature', `above ${TEMPERATURE_MAX}`);
  // There is no mode for JSON of any shape, and asking for it in words would be another prompt.
  if (call.responseFormat.type === 'json_object') throw new CannotCarry('responseFormat', 'without a schema');
  const { toolChoice } = call;
  const forces = toolChoice !== null && toolChoice !== 'auto' && toolChoice !== 'none';
  if (forces && call.tools.length === 0) throw new CannotCarry('toolChoice', 'without tools');
}

type SystemMessage = Extract<TextMessage, { role: 'system' }>;

/** Instructions stand before the conversation; in the midst of it they have no place. */
function leadingSystem(messages: readonly TextMessage[]): SystemMessage[] {
  const end = messages.findIndex(({ role }) => role !== 'system');
  const leading = end < 0 ? messages : messages.slice(0, end);
  if (messages.slice(leading.length).some(({ role }) => role === 'system')) throw new CannotCarry('system');
  return leading.flatMap((message) => (message.role === 'system' ? [message] : []));
}

/** An empty block is refused, and says nothing. */
function writeSystem(messages: readonly SystemMessage[]): object {
  const blocks = messages.flatMap(({ text }) => (text === '' ? [] : [{ type: 'text', text }]));
  return blocks.length === 0 ? {} : { system: blocks };
}

function writeTool({ name, description, parameters, strict }: TextCall['tools'][number]): object {
  return {
    name,
    ...said({ description }),
    input_schema: parameters ?? { type: 'object', properties: {} },
    ...said({ strict }),
  };
}

function writeToolChoice({ toolChoice, parallelTools }: TextCall): object {
  const alone = parallelTools === false && toolChoice !== 'none' && { disable_parallel_tool_use: true };
  if (toolChoice === null) return alone === false ? {} : { tool_choice: { type: 'auto', ...alone } };
  if (typeof toolChoice === 'object')
    return { tool_choice: { type: 'tool', name: toolChoice.name, ...alone } };
  return { tool_choice: { type: toolChoice === 'required' ? 'any' : toolChoice, ...alone } };
}

function said(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}
