/** Writes a neutral call as a request to Anthropic. Pure. */

import { arrangeTurns } from '../../text/arrange-turns.ts';
import { writeCacheControl } from '../../text/cache-marker.ts';
import type { PlacedSystem } from '../../text/place-system.ts';
import { type PlainCall, withPlainTools } from '../../text/plain-tools.ts';
import { CannotCarry, type TextCall } from '../../text/text-call.ts';
import { userTag } from '../../text/user-tag.ts';
import type { TextTarget } from '../provider.ts';
import { withoutNulls } from '../without-nulls.ts';
import { writeAnthropicMessages } from './write-messages.ts';
import { writeSchema } from './write-schema.ts';
import { outputCap, writeThinkingForm } from './write-thinking.ts';

export function writeAnthropicRequest(asked: TextCall, target: TextTarget): object {
  const call = withPlainTools(asked);
  rejectUnsupportedFields(call);
  const { system, messages: conversation } = arrangeTurns(call.messages);
  const messages = writeAnthropicMessages(conversation);
  const { tools, responseFormat } = call;
  const user = userTag(call.user, USER_CHARACTERS_MAX);
  const { effort, ...thinking } = writeThinkingForm(call, target, messages);
  return {
    model: target.upstreamModel,
    messages,
    max_tokens: outputCap(call, target),
    ...thinking,
    ...writeSystem(system),
    ...(call.stream && { stream: true }),
    ...(tools.length > 0 && { tools: tools.map(writeTool), ...writeToolChoice(call) }),
    ...writeOutputConfig(responseFormat, effort),
    ...withoutNulls({ temperature: call.temperature, top_p: call.topP, top_k: call.topK }),
    ...(call.stop.length > 0 && { stop_sequences: call.stop }),
    ...(user !== null && { metadata: { user_id: user } }),
  };
}

const TEMPERATURE_MAX = 1;
const USER_CHARACTERS_MAX = 256;

function rejectUnsupportedFields(call: TextCall): void {
  if (call.answers > 1) throw new CannotCarry('answers', 'above 1');
  if (call.seed !== null) throw new CannotCarry('seed');
  // A penalty of zero is the default, so it can be left out.
  if ((call.frequencyPenalty ?? 0) !== 0) throw new CannotCarry('frequencyPenalty');
  if ((call.presencePenalty ?? 0) !== 0) throw new CannotCarry('presencePenalty');
  if (call.verbosity !== null) throw new CannotCarry('verbosity');
  if ((call.temperature ?? 0) > TEMPERATURE_MAX)
    throw new CannotCarry('temperature', `above ${TEMPERATURE_MAX}`);
  // There is no JSON mode without a schema, and asking for it in the prompt would change the prompt.
  if (call.responseFormat.type === 'json_object') throw new CannotCarry('responseFormat', 'without a schema');
  const { toolChoice } = call;
  const forces = toolChoice !== null && toolChoice !== 'auto' && toolChoice !== 'none';
  if (forces && call.tools.length === 0) throw new CannotCarry('toolChoice', 'without tools');
}

function writeOutputConfig(format: TextCall['responseFormat'], effort: string | undefined): object {
  const schema = format.type === 'json_schema' ? writeAnswerSchema(format) : null;
  if (schema === null && effort === undefined) return {};
  return {
    output_config: {
      ...(effort !== undefined && { effort }),
      ...(schema !== null && { format: { type: 'json_schema', schema } }),
    },
  };
}

type SchemaFormat = Extract<TextCall['responseFormat'], { type: 'json_schema' }>;

/** The description of the schema wins; the one of the format has no other field. */
function writeAnswerSchema({ description, schema }: SchemaFormat): object {
  return writeSchema({ ...withoutNulls({ description }), ...schema }, 'responseFormat');
}

function writeSystem(system: PlacedSystem['system']): object {
  const blocks = system.map(({ text, cache }) => ({ type: 'text', text, ...writeCacheControl(cache) }));
  return blocks.length === 0 ? {} : { system: blocks };
}

function writeTool({ name, description, parameters, strict, cache }: TextCall['tools'][number]): object {
  return {
    name,
    ...withoutNulls({ description }),
    input_schema: writeParameters(parameters, strict === true),
    ...withoutNulls({ strict }),
    ...writeCacheControl(cache),
  };
}

/** Strict tools have the same schema limits as structured answers. */
function writeParameters(parameters: object | null, strict: boolean): object {
  // Some callers leave the type out, as OpenAI lets them.
  const schema = { type: 'object', ...(parameters ?? { properties: {} }) };
  return strict ? writeSchema(schema, 'tools') : schema;
}

function writeToolChoice({ toolChoice, parallelTools }: PlainCall): object {
  const alone = parallelTools === false && toolChoice !== 'none' && { disable_parallel_tool_use: true };
  if (toolChoice === null) return alone === false ? {} : { tool_choice: { type: 'auto', ...alone } };
  if (typeof toolChoice === 'object')
    return { tool_choice: { type: 'tool', name: toolChoice.name, ...alone } };
  return { tool_choice: { type: toolChoice === 'required' ? 'any' : toolChoice, ...alone } };
}
