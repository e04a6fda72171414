/** Writes neutral messages as Anthropic's: user and assistant alternate, each with a list of blocks. Pure. */

import { parseObject } from '../../json/read-json.ts';
import { writeCacheControl } from '../../text/cache-marker.ts';
import { writeSource } from '../../text/formats/messages/write-source.ts';
import type { SpokenMessage } from '../../text/place-system.ts';
import { ANTHROPIC_REDACTED, ANTHROPIC_SIGNATURE } from '../../text/proof.ts';
import {
  type CacheMarker,
  CannotCarry,
  type FilePart,
  type InputPart,
  NOT_AN_OBJECT,
  type OutputPart,
  type ReasoningPart,
} from '../../text/text-call.ts';

export interface Message {
  readonly role: 'user' | 'assistant';
  readonly content: Block[];
}

interface Block {
  readonly type: string;
  readonly [field: string]: unknown;
}

/**
 * Adjacent messages of one role are merged, because the results of parallel tool calls must be in one
 * message.
 */
export function writeAnthropicMessages(messages: readonly SpokenMessage[]): readonly Message[] {
  const written: Message[] = [];
  for (const message of messages) {
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const content = writeContent(message);
    // What is left of a message may be nothing: reasoning that another provider signed.
    if (content.length === 0) continue;
    const last = written.at(-1);
    if (last?.role === role) last.content.push(...content);
    else written.push({ role, content });
  }
  return trimEnd(written);
}

/** Anthropic rejects blanks at the end of an answer that the model is to continue. */
function trimEnd(written: Message[]): readonly Message[] {
  const last = written.at(-1);
  const block = last?.content.at(-1);
  if (last?.role !== 'assistant' || block?.type !== 'text') return written;
  const text = String(block.text).trimEnd();
  return [...written.slice(0, -1), { ...last, content: [...last.content.slice(0, -1), { ...block, text }] }];
}

function writeContent(message: SpokenMessage): Block[] {
  switch (message.role) {
    case 'user':
      return message.parts.flatMap(writeInput);
    case 'assistant':
      return message.parts.flatMap(writeSpoken);
    case 'tool': {
      const content = message.parts.flatMap(writeInput);
      return [
        {
          type: 'tool_result',
          tool_use_id: callId(message.callId),
          ...(content.length > 0 && { content }),
          ...(message.isError && { is_error: true }),
          ...writeCacheControl(message.cache),
        },
      ];
    }
  }
}

function writeText(text: string, cache?: CacheMarker): Block[] {
  return [{ type: 'text', text, ...writeCacheControl(cache) }];
}

/** Anthropic has no field for the image detail. */
function writeInput(part: InputPart): Block[] {
  if (part.type === 'text') return writeText(part.text, part.cache);
  const marker = writeCacheControl(part.cache);
  if (part.type === 'file') return [{ ...writeDocument(part), ...marker }];
  return [{ type: 'image', source: writeSource(part.source), ...marker }];
}

function writeDocument({ source, name }: FilePart): Block {
  const title = name === null ? {} : { title: name };
  if (source.kind !== 'data' || source.mediaType === 'application/pdf')
    return { type: 'document', source: writeSource(source), ...title };
  if (source.mediaType !== 'text/plain') throw new CannotCarry('file', `of the type ${source.mediaType}`);
  const data = Buffer.from(source.base64, 'base64').toString('utf8');
  return { type: 'document', source: { type: 'text', media_type: 'text/plain', data }, ...title };
}

function writeSpoken(part: OutputPart): Block[] {
  switch (part.type) {
    case 'text':
      return writeText(part.text, part.cache);
    case 'refusal':
      return writeText(part.text);
    case 'reasoning':
      return writeReasoning(part);
    case 'tool_call': {
      const input = part.arguments === '' ? {} : parseObject(part.arguments);
      if (input === null) throw new CannotCarry('messages', NOT_AN_OBJECT, part.at);
      return [{ type: 'tool_use', id: callId(part.id), name: part.name, input }];
    }
    case 'image':
      throw new CannotCarry('image', 'in an earlier answer');
  }
}

/** Anthropic rejects reasoning without its own proof, so it is left out. */
function writeReasoning({ text, proof }: ReasoningPart): Block[] {
  if (proof?.dialect === ANTHROPIC_SIGNATURE)
    return [{ type: 'thinking', thinking: text, signature: proof.value }];
  return proof?.dialect === ANTHROPIC_REDACTED ? [{ type: 'redacted_thinking', data: proof.value }] : [];
}

/** Ids of other providers may have characters that Anthropic rejects. Call and result change alike. */
function callId(id: string): string {
  return id.replace(/[^a-zA-Z0-9_-]/g, '_');
}
