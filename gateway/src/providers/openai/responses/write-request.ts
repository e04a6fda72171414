/** Writes a neutral call as a responses request. Pure. */

import { thinkingOf } from '../../../catalog/fit-reasoning.ts';
import { isBreakpoint, writeBreakpoint } from '../../../text/cache-marker.ts';
import { asksProof, SEALED_REASONING } from '../../../text/formats/responses/ask-proof.ts';
import { readOwnProof } from '../../../text/formats/responses/sealed-proof.ts';
import { mediaUrl } from '../../../text/read-media.ts';
import {
  type CacheMarker,
  CannotCarry,
  type InputPart,
  type OutputPart,
  type TextCall,
  type TextMessage,
  type TextTool,
  type ToolChoice,
} from '../../../text/text-call.ts';
import { userTag } from '../../../text/user-tag.ts';
import type { TextTarget } from '../../provider.ts';
import { withoutNulls } from '../../without-nulls.ts';
import { effortOf, rejectPenalties, USER_CHARACTERS_MAX } from '../request-fields.ts';

export function writeResponsesRequest(call: TextCall, target: TextTarget): object {
  rejectUnsupportedFields(call);
  const { upstreamModel: model } = target;
  const text = withoutNulls({
    format: call.responseFormat.type === 'text' ? null : writeFormat(call.responseFormat),
    verbosity: call.verbosity,
  });
  return {
    model,
    input: writeInput(call.messages),
    // Nothing is stored at the provider: all tenants share its account, and so its ids.
    store: false,
    ...(asksProof(thinkingOf(target.takes), call.reasoning !== null) && { include: [SEALED_REASONING] }),
    ...(call.stream && { stream: true }),
    ...(call.tools.length > 0 && { tools: call.tools.map(writeTool) }),
    ...(call.toolChoice !== null && { tool_choice: writeToolChoice(call.toolChoice, call.tools) }),
    ...(call.parallelTools !== null && call.tools.length > 0 && { parallel_tool_calls: call.parallelTools }),
    ...(Object.keys(text).length > 0 && { text }),
    ...withoutNulls({
      max_output_tokens: call.outputTokensMax,
      temperature: call.temperature,
      top_p: call.topP,
      service_tier: call.serviceTier ?? null,
      user: userTag(call.user, USER_CHARACTERS_MAX),
      prompt_cache_key: userTag(call.cacheKey ?? null, USER_CHARACTERS_MAX),
    }),
    ...call.caching,
    ...(call.reasoning !== null && {
      reasoning: withoutNulls({
        effort: effortOf(call.reasoning),
        summary: call.reasoning.shown ? 'auto' : null,
      }),
    }),
  };
}

/** The smallest cap that providers accept. */
const OUTPUT_TOKENS_MIN = 16;

function rejectUnsupportedFields(call: TextCall): void {
  if (call.topK !== null) throw new CannotCarry('topK');
  if (call.stop.length > 0) throw new CannotCarry('stop');
  if (call.answers > 1) throw new CannotCarry('answers', 'above 1');
  if (call.seed !== null) throw new CannotCarry('seed');
  rejectPenalties(call);
  if (call.outputTokensMax !== null && call.outputTokensMax < OUTPUT_TOKENS_MIN)
    throw new CannotCarry('outputTokensMax', `below ${OUTPUT_TOKENS_MIN}`);
}

/** A system message in the middle of a conversation becomes a developer message. */
function writeInput(messages: readonly TextMessage[]): object[] {
  const begins = messages.findIndex(({ role }) => role !== 'system');
  const textCalls = new Set(messages.flatMap(textCallsIn));
  return messages.flatMap((message, i) =>
    message.role === 'system'
      ? [{ role: begins >= 0 && i > begins ? 'developer' : 'system', content: writeSystem(message) }]
      : writeMessage(message, textCalls),
  );
}

function writeSystem({ text, cache }: { text: string; cache?: CacheMarker }): unknown {
  return writeParts([{ type: 'text', text, ...(cache !== undefined && { cache }) }]);
}

/** The ids of the calls whose results are of their own type. */
function textCallsIn(message: TextMessage): string[] {
  if (message.role !== 'assistant') return [];
  return message.parts.flatMap((part) => (part.type === 'tool_call' && part.isText ? [part.id] : []));
}

function writeMessage(
  message: Exclude<TextMessage, { role: 'system' }>,
  textCalls: ReadonlySet<string>,
): object[] {
  switch (message.role) {
    case 'user':
      return [{ role: 'user', content: writeParts(message.parts) }];
    case 'tool': {
      const { callId: call_id } = message;
      const type = textCalls.has(call_id) ? 'custom_tool_call_output' : 'function_call_output';
      return [{ type, call_id, output: writeResult(message) }];
    }
    case 'assistant':
      return writeItems(message.parts);
  }
}

function writeParts(parts: readonly InputPart[]): unknown {
  const [only] = parts;
  if (only === undefined) return '';
  const isPlain = parts.length === 1 && only.type === 'text' && !isBreakpoint(only.cache);
  return isPlain ? only.text : parts.map(writePart);
}

function writePart(part: InputPart): object {
  return { ...writeUnmarked(part), ...writeBreakpoint(part.cache) };
}

function writeUnmarked(part: InputPart): object {
  if (part.type === 'text') return { type: 'input_text', text: part.text };
  if (part.source.kind === 'asset') {
    const detail = part.type === 'image' ? withoutNulls({ detail: part.detail }) : {};
    return { type: `input_${part.type}`, file_id: part.source.name, ...detail };
  }
  if (part.type === 'image') {
    return {
      type: 'input_image',
      image_url: mediaUrl(part.source),
      ...withoutNulls({ detail: part.detail }),
    };
  }
  if (part.source.kind === 'url') return { type: 'input_file', file_url: part.source.url };
  return { type: 'input_file', filename: part.name ?? 'file', file_data: mediaUrl(part.source) };
}

function writeResult({ parts, isError }: Extract<TextMessage, { role: 'tool' }>): unknown {
  if (parts.every((part) => part.type === 'text')) {
    return `${isError ? 'Error: ' : ''}${parts.map((part) => part.text).join('\n')}`;
  }
  const shown = parts.map(writePart);
  return isError ? [{ type: 'input_text', text: 'Error:' }, ...shown] : shown;
}

function writeItems(parts: readonly OutputPart[]): object[] {
  const items: object[] = [];
  let content: object[] = [];
  const say = (part: object): void => {
    if (content.length === 0) items.push({ type: 'message', role: 'assistant', content });
    content.push(part);
  };
  for (const part of parts) {
    if (part.type === 'text') say({ type: 'output_text', text: part.text, annotations: [] });
    else if (part.type === 'refusal') say({ type: 'refusal', refusal: part.text });
    else {
      content = [];
      items.push(...writeItem(part));
    }
  }
  return items;
}

function writeItem(part: Exclude<OutputPart, { type: 'text' | 'refusal' }>): object[] {
  if (part.type === 'image') throw new CannotCarry('image', 'in an earlier answer');
  if (part.type === 'tool_call') {
    const { id: call_id, name, arguments: args } = part;
    return part.isText
      ? [{ type: 'custom_tool_call', call_id, name, input: args }]
      : [{ type: 'function_call', call_id, name, arguments: args }];
  }
  // Reasoning can be sent back only with its encrypted content.
  const proof = readOwnProof(part.proof);
  if (proof === null) return [];
  const summary = part.text === '' ? [] : [{ type: 'summary_text', text: part.text }];
  return [
    { type: 'reasoning', ...(proof.id !== '' && { id: proof.id }), summary, encrypted_content: proof.sealed },
  ];
}

/** The default of `strict` is true in this format, which most schemas do not satisfy. */
function writeTool(tool: TextTool): object {
  const { name, description, parameters, strict, textInput } = tool;
  if (textInput !== undefined) {
    const { grammar } = textInput;
    const format = grammar === null ? null : { type: 'grammar', ...grammar };
    return { type: 'custom', name, ...withoutNulls({ description, format }) };
  }
  return {
    type: 'function',
    name,
    ...withoutNulls({ description }),
    parameters: parameters ?? { type: 'object', properties: {} },
    strict: strict ?? false,
  };
}

function writeToolChoice(choice: ToolChoice, tools: readonly TextTool[]): unknown {
  if (typeof choice === 'string') return choice;
  const named = (name: string): object => {
    const isText = tools.some((tool) => tool.name === name && tool.textInput !== undefined);
    return { type: isText ? 'custom' : 'function', name };
  };
  if ('name' in choice) return named(choice.name);
  return { type: 'allowed_tools', mode: choice.mode, tools: choice.allowed.map(named) };
}

function writeFormat(format: TextCall['responseFormat']): object {
  if (format.type !== 'json_schema') return { type: format.type };
  const { name, description, schema, strict } = format;
  return { type: 'json_schema', name: name ?? 'answer', schema, ...withoutNulls({ description, strict }) };
}
