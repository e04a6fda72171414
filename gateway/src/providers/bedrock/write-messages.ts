/** Writes neutral messages for Converse. Pure. */

import { parseObject } from '../../kernel/json/read-json.ts';
import type { SpokenMessage } from '../../text/place-system.ts';
import {
  CannotCarry,
  type FilePart,
  type ImagePart,
  type InputPart,
  type MediaSource,
  NOT_AN_OBJECT,
  type OutputPart,
} from '../../text/text-call.ts';
import type { cachePoint } from './cache-point.ts';
import { REDACTED_PREFIX } from './reasoning-proof.ts';

interface Message {
  readonly role: 'user' | 'assistant';
  readonly content: object[];
}

export function writeBedrockMessages(
  messages: readonly SpokenMessage[],
  point: typeof cachePoint,
): Message[] {
  const written: Message[] = [];
  for (const message of messages) {
    const { role, content } = writeMessage(message, point);
    const last = written.at(-1);
    if (content.length === 0) continue;
    if (last?.role === role) last.content.push(...content);
    else written.push({ role, content });
  }
  return written;
}

function writeMessage(message: SpokenMessage, point: typeof cachePoint): Message {
  switch (message.role) {
    case 'user':
      return {
        role: 'user',
        content: message.parts.flatMap((part) => marked(writeInput(part), part, point)),
      };
    case 'tool':
      return { role: 'user', content: [writeResult(message), ...point(message.cache)] };
    case 'assistant':
      return {
        role: 'assistant',
        content: message.parts.flatMap((part) => marked(writeOutput(part), part, point)),
      };
  }
}

/** With a marker behind it, unless nothing is written. */
function marked(blocks: object[], part: InputPart | OutputPart, point: typeof cachePoint): object[] {
  return blocks.length === 0 || !('cache' in part) ? blocks : [...blocks, ...point(part.cache)];
}

function writeInput(part: InputPart): object[] {
  if (part.type === 'text') return writeText(part.text);
  return [part.type === 'image' ? writeImage(part) : writeDocument(part)];
}

/** Bedrock rejects blank text blocks. */
function writeText(text: string): object[] {
  return text.trim() === '' ? [] : [{ text }];
}

const imageFormats: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpeg',
  'image/gif': 'gif',
  'image/webp': 'webp',
};

function writeImage({ source }: ImagePart): object {
  const { mediaType, base64 } = inline(source, 'image');
  const format = imageFormats[mediaType];
  if (format === undefined) throw new CannotCarry('image', `of the type ${mediaType}`);
  return { image: { format, source: { bytes: base64 } } };
}

const documentFormats: Readonly<Record<string, string>> = {
  'application/pdf': 'pdf',
  'text/csv': 'csv',
  'text/html': 'html',
  'text/plain': 'txt',
  'text/markdown': 'md',
  'application/msword': 'doc',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.ms-excel': 'xls',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
};

function writeDocument({ source, name }: FilePart): object {
  const { mediaType, base64 } = inline(source, 'file');
  const format = documentFormats[mediaType];
  if (format === undefined) throw new CannotCarry('file', `of the type ${mediaType}`);
  return { document: { format, name: documentName(name), source: { bytes: base64 } } };
}

const NAME_CHARACTERS_MAX = 200;

/** Bedrock allows few characters and no repeated spaces. */
function documentName(name: string | null): string {
  const allowed = (name ?? '').replaceAll(/[^A-Za-z0-9\s()[\]-]/g, '-').replaceAll(/\s+/g, ' ');
  return allowed.trim().slice(0, NAME_CHARACTERS_MAX) || 'file';
}

function inline(source: MediaSource, field: 'image' | 'file'): Extract<MediaSource, { kind: 'data' }> {
  if (source.kind !== 'data') throw new CannotCarry(field, 'by URL');
  return source;
}

function writeResult({ callId, parts, isError }: Extract<SpokenMessage, { role: 'tool' }>): object {
  const content = parts.flatMap(writeInput);
  return { toolResult: { toolUseId: callId, content, ...(isError && { status: 'error' }) } };
}

function writeOutput(part: OutputPart): object[] {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return writeText(part.text);
    case 'image':
      throw new CannotCarry('image', 'in an earlier answer');
    case 'reasoning':
      return writeReasoning(part);
    case 'tool_call': {
      const { id: toolUseId, name } = part;
      const input = parseObject(part.arguments);
      if (input === null) throw new CannotCarry('messages', NOT_AN_OBJECT, part.at);
      return [{ toolUse: { toolUseId, name, input } }];
    }
  }
}

/** Bedrock rejects reasoning without its own signature, so it is left out. */
function writeReasoning({ text, proof }: Extract<OutputPart, { type: 'reasoning' }>): object[] {
  if (proof?.dialect !== 'bedrock') return [];
  const { value } = proof;
  return value.startsWith(REDACTED_PREFIX)
    ? [{ reasoningContent: { redactedContent: value.slice(REDACTED_PREFIX.length) } }]
    : [{ reasoningContent: { reasoningText: { text, signature: value } } }];
}
