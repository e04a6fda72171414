/** Writes a neutral call as a chat completions request. Pure. */

import type { ChatRules } from '../../../catalog/dialects/openai/chat-vendors.ts';
import { isOff, thinksWith } from '../../../catalog/fit-reasoning.ts';
import { writeBreakpoint, writeCacheControl } from '../../../text/cache-marker.ts';
import { writeToolCall } from '../../../text/formats/chat/write-answer.ts';
import { type PlainCall, withAllowedTools } from '../../../text/plain-tools.ts';
import { mediaUrl } from '../../../text/read-media.ts';
import {
  CannotCarry,
  type InputPart,
  type OutputPart,
  type TextCall,
  type TextMessage,
} from '../../../text/text-call.ts';
import { moveToolMedia, type ToolMessage } from '../../../text/tool-media.ts';
import { userTag } from '../../../text/user-tag.ts';
import type { TextTarget } from '../../provider.ts';
import { withoutNulls } from '../../without-nulls.ts';
import { effortOf, rejectPenalties, USER_CHARACTERS_MAX } from '../request-fields.ts';

export function writeChatRequest(asked: TextCall, target: TextTarget, rules: ChatRules): object {
  const call = withAllowedTools(asked);
  rejectUnsupportedFields(call, rules);
  const capField = target.outputCapField ?? rules.outputCapField;
  return {
    model: target.upstreamModel,
    messages: moveToolMedia(call.messages).map((message) => writeMessage(message, rules)),
    ...(call.stream && {
      stream: true,
      ...(rules.asksUsage && { stream_options: { include_usage: true } }),
    }),
    ...(call.tools.length > 0 && { tools: call.tools.map(writeTool) }),
    ...(choosesTool(call) && { tool_choice: writeToolChoice(call, rules) }),
    ...(call.parallelTools !== null && call.tools.length > 0 && { parallel_tool_calls: call.parallelTools }),
    ...(call.responseFormat.type !== 'text' && { response_format: writeFormat(call.responseFormat) }),
    ...(call.outputTokensMax !== null && { [capField]: call.outputTokensMax }),
    ...withoutNulls({
      temperature: call.temperature,
      top_p: call.topP,
      top_k: call.topK,
      frequency_penalty: rules.penalties ? call.frequencyPenalty : null,
      presence_penalty: rules.penalties ? call.presencePenalty : null,
      [rules.seedField]: call.seed,
      verbosity: call.verbosity,
      service_tier: call.serviceTier ?? null,
      // Only used to detect abuse, so servers without the field do not get it.
      user: rules.user ? userTag(call.user, USER_CHARACTERS_MAX) : null,
      prompt_cache_key: rules.cacheKey ? userTag(call.cacheKey ?? null, USER_CHARACTERS_MAX) : null,
    }),
    ...(rules.cacheKey && call.caching),
    ...(call.stop.length > 0 && { stop: call.stop }),
    ...(call.answers > 1 && { n: call.answers }),
    ...writeReasoning(call, target),
  };
}

const STOPS_MAX = 4;

function rejectUnsupportedFields(call: TextCall, rules: ChatRules): void {
  if (call.topK !== null && !rules.topK) throw new CannotCarry('topK');
  if (call.answers > 1 && !rules.answers) throw new CannotCarry('answers', 'above 1');
  if (call.stop.length > STOPS_MAX) throw new CannotCarry('stop', `with more than ${STOPS_MAX} items`);
  if (call.responseFormat.type === 'json_schema' && !rules.jsonSchema)
    throw new CannotCarry('responseFormat');
  if (!rules.penalties) rejectPenalties(call);
}

function writeMessage(message: TextMessage, rules: ChatRules): object {
  switch (message.role) {
    case 'system':
      return { role: 'system', content: writeParts([{ type: 'text', ...message }], rules) };
    case 'user':
      return { role: 'user', content: writeParts(message.parts, rules) };
    case 'tool':
      return { role: 'tool', tool_call_id: message.callId, content: writeResult(message) };
    case 'assistant':
      return writeAssistant(message.parts, rules);
  }
}

function writeParts(parts: readonly InputPart[], rules: ChatRules): unknown {
  const [only] = parts;
  // A message without content is accepted as an empty text only.
  if (only === undefined) return '';
  const marked = parts.map((part) => ({ part, marker: writeMarker(part, rules) }));
  const marks = marked.some(({ marker }) => Object.keys(marker).length > 0);
  if (parts.length === 1 && only?.type === 'text' && !marks) return only.text;
  return marked.map(({ part, marker }) => ({ ...writePart(part), ...marker }));
}

function writeMarker({ type, cache }: InputPart, rules: ChatRules): object {
  // Servers with such markers take them on texts alone.
  if (rules.cacheMarkers) return type === 'text' ? writeCacheControl(cache) : {};
  return rules.cacheKey ? writeBreakpoint(cache) : {};
}

function writePart(part: InputPart): object {
  if (part.type === 'text') return { type: 'text', text: part.text };
  if (part.type === 'image') {
    const detail = part.detail === null ? {} : { detail: part.detail };
    return { type: 'image_url', image_url: { url: mediaUrl(part.source), ...detail } };
  }
  if (part.source.kind !== 'data') throw new CannotCarry('file', 'by URL');
  return { type: 'file', file: { filename: part.name ?? 'file', file_data: mediaUrl(part.source) } };
}

/** The protocol accepts only text as a tool result; everything else has moved. */
function writeResult({ parts, isError }: ToolMessage): string {
  const texts = parts.flatMap((part) => (part.type === 'text' ? part.text : []));
  return `${isError ? 'Error: ' : ''}${texts.join('\n')}`;
}

function writeAssistant(parts: readonly OutputPart[], rules: ChatRules): object {
  const texts = { text: '', refusal: '', reasoning: '' };
  const calls: object[] = [];
  for (const part of parts) {
    if (part.type === 'image') throw new CannotCarry('image', 'in an earlier answer');
    if (part.type === 'tool_call') calls.push(writeToolCall(part));
    else texts[part.type] += part.text;
  }
  const { reasoningField } = rules;
  return {
    role: 'assistant',
    content: texts.text === '' && calls.length > 0 ? null : texts.text,
    ...(texts.refusal !== '' && { refusal: texts.refusal }),
    ...(texts.reasoning !== '' && reasoningField !== null && { [reasoningField]: texts.reasoning }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

function writeTool(tool: TextCall['tools'][number]): object {
  const { name, description, parameters, strict, textInput } = tool;
  if (textInput !== undefined) {
    const { grammar } = textInput;
    const format = grammar === null ? null : { type: 'grammar', grammar };
    return { type: 'custom', custom: { name, ...withoutNulls({ description, format }) } };
  }
  const optional = withoutNulls({ description, parameters, strict });
  return { type: 'function', function: { name, ...optional } };
}

/**
 * Servers reject `tool_choice` without tools, so `auto` and `none` are left out. A required tool is passed on
 * for the server to judge.
 */
function choosesTool(call: PlainCall): call is Choosing {
  const { tools, toolChoice } = call;
  return toolChoice !== null && (tools.length > 0 || (toolChoice !== 'auto' && toolChoice !== 'none'));
}

type Choosing = PlainCall & { readonly toolChoice: NonNullable<PlainCall['toolChoice']> };

function writeToolChoice({ toolChoice: choice, tools }: Choosing, rules: ChatRules): unknown {
  if (choice === 'required') return rules.toolRequired;
  if (typeof choice === 'string') return choice;
  const { name } = choice;
  const isText = tools.some((tool) => tool.name === name && tool.textInput !== undefined);
  return isText ? { type: 'custom', custom: { name } } : { type: 'function', function: { name } };
}

function writeFormat(format: TextCall['responseFormat']): object {
  if (format.type !== 'json_schema') return { type: format.type };
  const { name, description, schema, strict } = format;
  return {
    type: 'json_schema',
    json_schema: { name: name ?? 'answer', schema, ...withoutNulls({ description, strict }) },
  };
}

/** How much a model should think, in the fields that servers of the chat protocol have for it. Pure. */
function writeReasoning({ reasoning, messages }: TextCall, { takes }: Pick<TextTarget, 'takes'>): object {
  const hasSwitch = takes.thinking === 'switch';
  if (hasSwitch && thinksWith(reasoning, takes) && messages.some(lacksThoughts)) return SWITCHED_OFF;
  if (reasoning === null) return {};
  // Not every server has a word for it.
  if (reasoning.implied && takes.thinking === 'unknown') return {};
  const effort = withoutNulls({ reasoning_effort: effortOf(reasoning) });
  if (!hasSwitch) return effort;
  return isOff(reasoning) ? SWITCHED_OFF : { thinking: { type: 'enabled' }, ...effort };
}

const SWITCHED_OFF = { thinking: { type: 'disabled' } };

/** Most formats cannot carry the thoughts before a call, so thinking is turned off in such a conversation. */
function lacksThoughts(message: TextMessage): boolean {
  if (message.role !== 'assistant') return false;
  const calls = message.parts.some(({ type }) => type === 'tool_call');
  return calls && !message.parts.some((part) => part.type === 'reasoning' && part.text !== '');
}
