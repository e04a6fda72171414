/** Reads the contents of a request into neutral turns. */
import type { ModelTraits } from '../brain/models.ts';
import type { SeenImage, Turn } from '../brain/prompt.ts';
import { type Json, record } from '../json.ts';
import { type Content, checkHistory } from './check-history.ts';
import type { ModelRules } from './model-rules.ts';
import { badPayload, invalid, unmet } from './refusals.ts';

const DATA = [
  'text',
  'inlineData',
  'fileData',
  'functionCall',
  'functionResponse',
  'executableCode',
  'codeExecutionResult',
];

const RESPONSE_TYPES = ['image/png', 'image/jpeg', 'image/webp', 'application/pdf', 'text/plain'];

export interface ContentRules {
  readonly traits: ModelTraits;
  readonly rules: ModelRules;
}

export function readTurns(value: unknown, options: ContentRules): readonly Turn[] {
  const given = Array.isArray(value) ? (value as Json[]) : [];
  if (given.length === 0) throw unmet('contents', 'contents is not specified');
  const contents = given.map((content, index) => readContent(content, index, options));
  for (const { parts } of contents) for (const part of parts) checkResponse(part, options.rules);
  checkHistory(contents, options.rules);
  return contents.flatMap(turnsOf);
}

export function readSystem(value: unknown): readonly Turn[] {
  const parts = record(value)?.parts;
  if (!Array.isArray(parts)) return [];
  const text = parts.map((part) => String((part as Json).text ?? '')).join('\n');
  return text === '' ? [] : [{ role: 'system', text, images: [], toolCalls: [] }];
}

function readContent(content: Json, index: number, options: ContentRules): Content {
  const { role = 'user' } = content;
  if (role !== 'user' && role !== 'model' && role !== 'function') {
    throw invalid('Please use a valid role: user, model.');
  }
  const parts = Array.isArray(content.parts) ? (content.parts as Json[]) : [];
  if (parts.length === 0) throw unmet(`contents[${index}].parts`, 'contents.parts must not be empty.');
  parts.forEach((part, place) => {
    checkPart(part, `contents[${index}].parts[${place}]`, options);
  });
  return { role: role === 'model' ? 'model' : 'user', parts };
}

function checkPart(part: Json, at: string, { traits, rules }: ContentRules): void {
  const given = DATA.filter((name) => part[name] !== undefined);
  const empty = part.text === '' && !rules.emptyTexts;
  if ((given.length === 0 || empty) && part.thoughtSignature === undefined) {
    throw unmet(`${at}.data`, "required oneof field 'data' must have one initialized field");
  }
  if (given.length > 1) {
    const description = `Invalid value at '${at}' (oneof), oneof field 'data' is already set. Cannot set '${given[1]}'`;
    throw badPayload([{ field: at, description }]);
  }
  if (part.text !== undefined && typeof part.text !== 'string') throw wrongValue(`${at}.text`, part.text);
  const pictured = record(part.inlineData) ?? record(part.fileData);
  if (pictured !== null) checkMedia(pictured, at, traits);
  checkCall(record(part.functionCall), `${at}.function_call`, 'args');
  checkCall(record(part.functionResponse), `${at}.function_response`, 'response');
}

function checkResponse({ functionResponse }: Json, { mediaInResponses }: ModelRules): void {
  const held = record(functionResponse)?.parts;
  const parts = Array.isArray(held) ? (held as Json[]) : [];
  if (parts.length > 0 && !mediaInResponses) {
    throw invalid('Multimodal function responses are not supported for this model.');
  }
  for (const { inlineData } of parts) {
    const { mimeType = '' } = record(inlineData) ?? {};
    if (RESPONSE_TYPES.includes(String(mimeType))) continue;
    throw invalid(`Unsupported MIME type in function response: ${mimeType}`);
  }
}

function checkMedia(media: Json, at: string, traits: ModelTraits): void {
  for (const [name, value] of Object.entries(media)) {
    if (typeof value !== 'string') throw wrongValue(`${at}.${name}`, value);
  }
  const mediaType = String(media.mimeType ?? '');
  if (mediaType === '' && media.data !== undefined) {
    throw unmet(`${at}.inline_data.mime_type`, 'mime_type is required.');
  }
  if (mediaType.startsWith('image/') && !traits.seesImages) {
    throw invalid('Image input modality is not enabled for this model');
  }
}

/** Arguments and responses are objects, never bare texts. */
function checkCall(call: Json | null, at: string, payload: 'args' | 'response'): void {
  if (call === null) return;
  if (typeof call.name !== 'string' || call.name === '') throw unmet(`${at}.name`, 'Name cannot be empty.');
  const value = call[payload];
  if (value !== undefined && record(value) === null) {
    throw wrongValue(`${at}.${payload}`, value, ' (type.googleapis.com/google.protobuf.Struct)');
  }
}

function wrongValue(place: string, value: unknown, type = ''): Error {
  return badPayload([
    { field: place, description: `Invalid value at '${place}'${type}, ${JSON.stringify(value)}` },
  ]);
}

/** Responses of functions stand within contents of the user, and are turns of their own to the brain. */
function turnsOf(content: Content): Turn[] {
  const results = all(content.parts, 'functionResponse').map(
    ({ response, parts }): Turn => ({
      role: 'tool',
      text: textOf(response),
      toolCalls: [],
      images: Array.isArray(parts) ? (parts as Json[]).flatMap(imageOf) : [],
    }),
  );
  const rest = content.parts.filter((part) => part.functionResponse === undefined);
  if (rest.length === 0) return results;
  const spoken = rest.filter((part) => part.thought !== true);
  const toolCalls = all(rest, 'functionCall').map((call) => ({
    name: call.name as string,
    arguments: JSON.stringify(call.args ?? {}),
  }));
  const turn: Turn = {
    role: content.role === 'model' ? 'assistant' : 'user',
    text: spoken.flatMap((part) => part.text ?? []).join('\n'),
    images: spoken.flatMap(imageOf),
    toolCalls,
  };
  return [...results, turn];
}

function all(parts: readonly Json[], name: string): Json[] {
  return parts.map((part) => record(part[name])).filter((value) => value !== null);
}

/** What stands alone under a usual name is the text itself. */
function textOf(response: unknown): string {
  const fields = record(response) ?? {};
  const [name, ...more] = Object.keys(fields);
  const alone = name === 'result' || name === 'output' || name === 'content' ? fields[name] : undefined;
  return more.length === 0 && typeof alone === 'string' ? alone : JSON.stringify(fields);
}

/** An address is only ever spoken of, never fetched. */
function imageOf(part: Json): SeenImage[] {
  const inline = record(part.inlineData);
  const file = record(part.fileData);
  const mediaType = String(inline?.mimeType ?? file?.mimeType ?? 'image/*').toLowerCase();
  if (!mediaType.startsWith('image/')) return [];
  if (inline !== null) {
    return [{ kind: 'bytes', mediaType, bytes: Buffer.from(String(inline.data ?? ''), 'base64') }];
  }
  return file === null ? [] : [{ kind: 'address', url: String(file.fileUri ?? '') }];
}
