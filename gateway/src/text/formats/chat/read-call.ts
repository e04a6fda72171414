/**
 * Reads a chat request as a neutral call. A field without a neutral meaning is rejected, naming the field.
 */
import type { ChatRequest } from '../../../contract/chat.ts';
import { type Json, listOf, objectOf, textOf } from '../../../json/read-json.ts';
import { Problem } from '../../../kernel/problem.ts';
import { readCacheMarker } from '../../cache-marker.ts';
import { readCaching } from '../../read-caching.ts';
import { readMediaUrl } from '../../read-media.ts';
import { readRefusal } from '../../read-refusal.ts';
import { cannotCarry, isUnset, rejectUnknownFields } from '../../reject-field.ts';
import { rejectOtherFields } from '../../reject-other-fields.ts';
import { askedTier } from '../../service-tier.ts';
import type {
  CacheMarker,
  InputPart,
  OutputPart,
  Reasoning,
  ResponseFormat,
  TextCall,
  TextMessage,
} from '../../text-call.ts';
import { chatObjects, chatParts } from './read-fields.ts';
import { readChatTool, readChatToolChoice } from './read-tools.ts';

type Message = ChatRequest['messages'][number];

export function readChatCall(request: ChatRequest): TextCall {
  rejectUnknownFields(request, known, harmless);
  const stop = request.stop ?? [];
  return {
    messages: request.messages.map((message, i) => readMessage(message, `messages[${i}]`, request.model)),
    stream: request.stream === true,
    tools: (request.tools ?? []).map((given, i) => readChatTool(given, `tools[${i}]`, request.model)),
    toolChoice: readChatToolChoice(request.tool_choice),
    parallelTools: request.parallel_tool_calls ?? null,
    responseFormat: readFormat(request),
    outputTokensMax: request.max_completion_tokens ?? request.max_tokens ?? null,
    temperature: request.temperature ?? null,
    topP: request.top_p ?? null,
    topK: request.top_k ?? null,
    stop: typeof stop === 'string' ? [stop] : stop,
    answers: request.n ?? 1,
    reasoning: readReasoning(request.reasoning_effort),
    seed: request.seed ?? null,
    frequencyPenalty: request.frequency_penalty ?? null,
    presencePenalty: request.presence_penalty ?? null,
    verbosity: request.verbosity ?? null,
    user: request.safety_identifier ?? request.user ?? null,
    cacheKey: textOf((request as Json).prompt_cache_key) || null,
    serviceTier: askedTier((request as Json).service_tier),
    ...readCaching(request),
  };
}

const known = new Set([
  'model',
  'messages',
  'stream',
  'stream_options',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'response_format',
  'max_completion_tokens',
  'max_tokens',
  'temperature',
  'top_p',
  'top_k',
  'stop',
  'n',
  'reasoning_effort',
  'seed',
  'frequency_penalty',
  'presence_penalty',
  'verbosity',
  'user',
  'safety_identifier',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
  'service_tier',
]);

/** Fields that do not affect the answer when they have these values. */
const harmless: Readonly<Record<string, (value: unknown) => boolean>> = {
  store: (value) => typeof value === 'boolean',
  logprobs: (value) => value === false,
  top_logprobs: (value) => value === 0,
  metadata: isUnset,
  logit_bias: isUnset,
  // Whether a model answers with images is in the catalogue.
  modalities: (value) => Array.isArray(value) && value.every((kind) => kind === 'text' || kind === 'image'),
};

/** A marker on a message belongs to its last part. */
function readMessage(message: Message, path: string, model: string): TextMessage {
  const read = { ...readUnmarked(message, path, model), at: path };
  const { cache } = readCacheMarker(message);
  return cache === undefined ? read : markMessage(read, cache);
}

function markMessage(message: TextMessage, cache: CacheMarker): TextMessage {
  if (message.role === 'system' || message.role === 'tool') return { ...message, cache };
  if (message.role === 'user') {
    const last = message.parts.at(-1);
    if (last === undefined) return message;
    return { ...message, parts: [...message.parts.slice(0, -1), { ...last, cache }] };
  }
  const last = message.parts.at(-1);
  if (last?.type !== 'text') return message;
  return { ...message, parts: [...message.parts.slice(0, -1), { ...last, cache }] };
}

function readUnmarked(message: Message, path: string, model: string): TextMessage {
  const kind = message.role === 'assistant' ? chatObjects.answer : chatObjects.message;
  rejectOtherFields(message, kind, { path, model });
  switch (message.role) {
    case 'system':
    case 'developer':
      return { role: 'system', text: plainText(message, path, model), ...markerIn(message.content) };
    case 'user':
      return { role: 'user', parts: named(message, readParts(message.content, `${path}.content`, model)) };
    case 'assistant':
      return { role: 'assistant', parts: readAssistant(message, path, model) };
    case 'tool': {
      const { tool_call_id: callId } = message;
      if (callId === undefined) {
        throw new Problem('invalid_parameter', {
          detail: `${path}.tool_call_id is required: it names the tool call that this result belongs to.`,
          param: `${path}.tool_call_id`,
        });
      }
      return {
        role: 'tool',
        callId,
        parts: readParts(message.content, `${path}.content`, model),
        isError: false,
      };
    }
    // Such a result has no id of its call; other formats need one.
    case 'function':
      throw cannotCarry(`${path}.role`, model);
  }
}

/** Only chat says which of several users speaks, so the name is written before what that user says. */
function named(message: Message, parts: InputPart[]): InputPart[] {
  const name = textOf((message as Json).name);
  const [first, ...rest] = parts;
  if (name === '') return parts;
  if (first?.type !== 'text') return [{ type: 'text', text: `${name}:` }, ...parts];
  return [{ ...first, text: `${name}: ${first.text}` }, ...rest];
}

/** The last marker of the parts. */
function markerIn(content: Message['content']): { cache?: CacheMarker } {
  const markers = listOf(content).map(readCacheMarker);
  return markers.findLast(({ cache }) => cache !== undefined) ?? {};
}

function plainText(message: Message, path: string, model: string): string {
  return readParts(message.content, `${path}.content`, model)
    .map((part, i) => {
      if (part.type !== 'text') throw cannotCarry(`${path}.content[${i}].type`, model);
      return part.text;
    })
    .join('\n');
}

function readParts(content: Message['content'], path: string, model: string): InputPart[] {
  if (content === null || content === undefined) return [];
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return content.map((part, i) => readPart(part, `${path}[${i}]`, model));
}

function readPart(
  part: { type: string; text?: string | undefined; image_url?: { url: string; detail?: string } | undefined },
  path: string,
  model: string,
): InputPart {
  const marker = readCacheMarker(part);
  rejectOtherFields(part, chatParts.get(part.type), { path, model });
  if (part.type === 'text') return { type: 'text', text: part.text ?? '', ...marker };
  if (part.type === 'image_url' && part.image_url !== undefined) {
    rejectOtherFields(part.image_url, chatObjects.image, { path: `${path}.image_url`, model });
    const { url, detail = null } = part.image_url;
    return { type: 'image', source: readMediaUrl(url, `${path}.image_url.url`), detail, ...marker };
  }
  const file = objectOf((part as { file?: unknown }).file);
  if (part.type === 'file' && typeof file.file_data === 'string') {
    rejectOtherFields(file, chatObjects.file, { path: `${path}.file`, model });
    const name = textOf(file.filename) || null;
    return { type: 'file', source: readMediaUrl(file.file_data, `${path}.file.file_data`), name, ...marker };
  }
  throw cannotCarry(`${path}.type`, model);
}

function readAssistant(message: Message, path: string, model: string): OutputPart[] {
  const parts: OutputPart[] = [];
  const fields = message as Message & Record<string, unknown>;
  const reasoning = textOf(fields.reasoning_content);
  if (reasoning !== '') parts.push({ type: 'reasoning', text: reasoning, proof: null });
  if (Array.isArray(message.content)) {
    for (const [i, part] of message.content.entries())
      parts.push(readSpoken(part, `${path}.content[${i}]`, model));
  } else if (typeof message.content === 'string' && message.content !== '') {
    parts.push({ type: 'text', text: message.content });
  }
  const refusal = textOf(fields.refusal);
  if (refusal !== '') parts.push({ type: 'refusal', text: refusal });
  parts.push(...imagesOf(fields, path, model));
  for (const [i, call] of listOf(message.tool_calls).entries()) {
    const isText = call.type === 'custom';
    const { name, input, arguments: args } = objectOf(isText ? call.custom : call.function);
    if (typeof name !== 'string') throw cannotCarry(`${path}.tool_calls[${i}].type`, model);
    const read = { type: 'tool_call', id: textOf(call.id), name, proof: null } as const;
    const at = `${path}.tool_calls[${i}].function.arguments`;
    parts.push(
      isText
        ? { ...read, arguments: textOf(input), isText }
        : { ...read, arguments: textOf(args) || '{}', at },
    );
  }
  return parts;
}

function readSpoken(
  part: { type: string; text?: string | undefined },
  path: string,
  model: string,
): OutputPart {
  if (part.type === 'text') return { type: 'text', text: part.text ?? '', ...readCacheMarker(part) };
  if (part.type === 'refusal') return { type: 'refusal', text: readRefusal(part, path) };
  throw cannotCarry(`${path}.type`, model);
}

/** Images that a model drew, as our own answers have them. */
function imagesOf({ images }: Json, path: string, model: string): OutputPart[] {
  return listOf(images).map((image, i) => {
    const source = readMediaUrl(textOf(objectOf(image.image_url).url), `${path}.images[${i}].image_url.url`);
    if (source.kind !== 'data') throw cannotCarry(`${path}.images[${i}].image_url.url`, model);
    return { type: 'image', mediaType: source.mediaType, base64: source.base64 };
  });
}

function readFormat({ response_format: format, model }: ChatRequest): ResponseFormat {
  const path = 'response_format';
  rejectOtherFields(format ?? {}, chatObjects.format, { path, model });
  rejectOtherFields(format?.json_schema ?? {}, chatObjects.schema, { path: `${path}.json_schema`, model });
  if (format?.type === 'json_object') return { type: 'json_object' };
  if (format?.type !== 'json_schema') return { type: 'text' };
  const { name, description = null, schema = {}, strict = null } = format.json_schema ?? { name: 'answer' };
  return { type: 'json_schema', name, description, schema, strict };
}

function readReasoning(effort: string | null | undefined): Reasoning | null {
  return effort === null || effort === undefined ? null : { effort, tokensMax: null, shown: true };
}
