/** Reads the messages of a chat-completions request. */
import type { ModelTraits } from '../brain/models.ts';
import type { SeenImage, ToolCall, Turn } from '../brain/prompt.ts';
import { type Json, record } from '../json.ts';
import { Refusal } from '../refusal.ts';
import { missing, unreadableImage, unsupportedImage, wrongType, wrongValue } from './refusals.ts';

const ROLES: ReadonlyMap<unknown, Turn['role']> = new Map([
  ['system', 'system'],
  ['developer', 'system'],
  ['user', 'user'],
  ['assistant', 'assistant'],
  ['tool', 'tool'],
  ['function', 'tool'],
]);
const DATA_URL = /^data:([a-z0-9.+/-]+);base64,/i;

export function readTurns(messages: unknown, traits: ModelTraits): readonly Turn[] {
  if (messages == null) throw missing('messages');
  if (!Array.isArray(messages)) throw wrongType('messages', 'an array of objects');
  if (messages.length === 0) {
    throw new Refusal(
      400,
      "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
      { param: 'messages', code: 'empty_array' },
    );
  }
  return messages.map((message, index) => readTurn(record(message), index, traits));
}

function readTurn(message: Json | null, index: number, traits: ModelTraits): Turn {
  if (message === null) throw wrongType(`messages[${index}]`, 'an object');
  if (message.role === undefined) throw missing(`messages[${index}].role`);
  const role = ROLES.get(message.role);
  if (role === undefined) {
    throw wrongValue(
      `messages[${index}].role`,
      `Invalid value: ${JSON.stringify(message.role)}. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.`,
    );
  }
  const toolCalls = readToolCalls(message.tool_calls);
  const { content } = message;
  if (typeof content === 'string') return { role, text: content, images: [], toolCalls };
  if (Array.isArray(content)) {
    checkPlaces(content, index, String(message.role));
    return { role, ...readParts(content, index, traits), toolCalls };
  }
  if (content != null || role !== 'assistant') {
    throw wrongType(`messages[${index}].content`, 'one of a string or array of objects');
  }
  return { role, text: '', images: [], toolCalls };
}

/** Only a user shows pictures and files. */
function checkPlaces(parts: readonly unknown[], index: number, role: string): void {
  if (role === 'user') return;
  const types = parts.map((part) => record(part)?.type);
  if (types.includes('image_url')) {
    throw wrongValue(
      `messages[${index}]`,
      `Invalid 'messages[${index}]'. Image URLs are only allowed for messages with role 'user', but this message with role '${role}' contains an image URL.`,
    );
  }
  if (!types.includes('file')) return;
  throw wrongValue(
    `messages[${index}]`,
    `Invalid 'messages[${index}]'. Files are only allowed for messages with role 'user', but this message with role '${role}' contains a file.`,
  );
}

function readParts(
  parts: readonly unknown[],
  index: number,
  traits: ModelTraits,
): { text: string; images: SeenImage[] } {
  const texts: string[] = [];
  const images: SeenImage[] = [];
  parts.forEach((given, place) => {
    const part = record(given);
    if (typeof part?.text === 'string') texts.push(part.text);
    else if (typeof part?.refusal === 'string') texts.push(part.refusal);
    else if (part?.type === 'image_url') {
      if (!traits.seesImages) throw unsupportedImage(`messages.[${index}].content.[${place}].type`);
      const url = record(part.image_url)?.url;
      if (typeof url !== 'string') throw missing(`messages[${index}].content[${place}].image_url.url`);
      images.push(readImage(url));
    } else if (part?.type !== 'file' && part?.type !== 'input_audio') {
      throw wrongValue(
        `messages[${index}].content[${place}].type`,
        `Invalid value: ${JSON.stringify(part?.type)}. Supported values are: 'text', 'image_url', 'input_audio', 'refusal', 'audio', and 'file'.`,
      );
    }
  });
  return { text: texts.join('\n'), images };
}

/** An address is only ever spoken of, never fetched. */
function readImage(url: string): SeenImage {
  const match = DATA_URL.exec(url);
  if (match !== null) {
    const bytes = Buffer.from(url.slice(match[0].length), 'base64');
    return { kind: 'bytes', mediaType: (match[1] as string).toLowerCase(), bytes };
  }
  if (url.startsWith('data:')) throw unreadableImage();
  return { kind: 'address', url };
}

function readToolCalls(value: unknown): readonly ToolCall[] {
  if (!Array.isArray(value)) return [];
  return value.map((given) => {
    const call = record(given);
    const called = record(call?.type === 'custom' ? call.custom : call?.function);
    return { name: String(called?.name ?? ''), arguments: String(called?.arguments ?? called?.input ?? '') };
  });
}
