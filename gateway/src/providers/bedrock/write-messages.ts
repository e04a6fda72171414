/** Writes neutral messages for Converse. Pure. */

import { parseObject } from '../../json/read-json.ts';
import { hashText } from '../../kernel/hash-text.ts';
import type { SpokenMessage } from '../../text/place-system.ts';
import {
  CannotCarry,
  type InputPart,
  NOT_AN_OBJECT,
  type OutputPart,
  type ReasoningPart,
} from '../../text/text-call.ts';
import { type HoldsMedia, moveToolMedia, type ToolMessage } from '../../text/tool-media.ts';
import type { CachePoint } from './cache-point.ts';
import type { BedrockFamily } from './model-family.ts';
import { REDACTED_PREFIX } from './reasoning-proof.ts';
import { writeBedrockDocument, writeBedrockImage } from './write-media.ts';
import { toolName } from './write-tools.ts';

export interface BedrockMessage {
  readonly role: 'user' | 'assistant';
  readonly content: object[];
}

interface MessageRules {
  readonly family: BedrockFamily;
  readonly point: CachePoint;
}

export function writeBedrockMessages(
  messages: readonly SpokenMessage[],
  { family, point }: MessageRules,
): BedrockMessage[] {
  const writer = new BlockWriter({ family, point });
  const written: BedrockMessage[] = [];
  for (const message of moveToolMedia(messages, holdsMedia(family))) {
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const content = writer.write(message);
    const last = written.at(-1);
    if (content.length === 0) continue;
    if (last?.role === role) last.content.push(...content);
    else written.push({ role, content });
  }
  return written.map(withText);
}

/** Only these makers' models see images and documents in results, and Claude only in those without an error. */
function holdsMedia(family: BedrockFamily): HoldsMedia {
  return (_, { isError }) => (family === 'claude' || family === 'nova') && !isError;
}

/** A message with a document must have a text; the name of the document is one. */
function withText(message: BedrockMessage): BedrockMessage {
  const { content } = message as { content: Block[] };
  const document = content.find((block) => block.document !== undefined)?.document;
  if (document === undefined || content.some(({ text }) => text !== undefined)) return message;
  return { ...message, content: [...content, { text: document.name }] };
}

interface Block {
  readonly text?: string;
  readonly document?: { readonly name: string };
}

/** Remembers the names of documents, which must be unique in a request. */
class BlockWriter {
  readonly #family: BedrockFamily;
  readonly #point: CachePoint;
  readonly #names = new Set<string>();

  constructor({ family, point }: MessageRules) {
    this.#family = family;
    this.#point = point;
  }

  write(message: SpokenMessage): object[] {
    switch (message.role) {
      case 'user':
        return message.parts.flatMap((part) => this.#marked(this.#input(part), part));
      case 'tool':
        return [this.#result(message), ...this.#point(message.cache)];
      case 'assistant':
        return message.parts.flatMap((part) => this.#marked(writeOutput(part, this.#family), part));
    }
  }

  /** With a marker behind it, unless nothing is written. */
  #marked(blocks: object[], part: InputPart | OutputPart): object[] {
    return blocks.length === 0 || !('cache' in part) ? blocks : [...blocks, ...this.#point(part.cache)];
  }

  #input(part: InputPart): object[] {
    if (part.type === 'text') return writeText(part.text);
    return [
      part.type === 'image'
        ? writeBedrockImage(part)
        : writeBedrockDocument(part, (name) => this.#unique(name)),
    ];
  }

  #unique(name: string): string {
    let unique = name;
    for (let number = 2; this.#names.has(unique.toLowerCase()); number++) unique = `${name} (${number})`;
    this.#names.add(unique.toLowerCase());
    return unique;
  }

  #result({ callId, parts, isError }: ToolMessage): object {
    const content = parts.flatMap((part) => this.#input(part));
    return {
      toolResult: {
        toolUseId: toolUseId(callId),
        content: content.length === 0 ? [{ text: NO_OUTPUT }] : content,
        ...(isError && { status: 'error' }),
      },
    };
  }
}

/** A result must have content, and blank texts are rejected. */
const NO_OUTPUT = '(no output)';

const ID_CHARACTERS_MAX = 64;

/** Ids of other providers may be longer or have characters that Converse rejects. Call and result change alike. */
function toolUseId(id: string): string {
  const valid = id.replaceAll(/[^a-zA-Z0-9_.:-]/g, '_');
  if (valid !== '' && valid.length <= ID_CHARACTERS_MAX) return valid;
  return `id_${hashText(id).toString(36)}`;
}

/** Bedrock rejects blank text blocks. */
function writeText(text: string): object[] {
  return text.trim() === '' ? [] : [{ text }];
}

function writeOutput(part: OutputPart, family: BedrockFamily): object[] {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return writeText(part.text);
    case 'image':
      throw new CannotCarry('image', 'in an earlier answer');
    case 'reasoning':
      return writeReasoning(part, family);
    case 'tool_call': {
      const input = parseObject(part.arguments);
      if (input === null) throw new CannotCarry('messages', NOT_AN_OBJECT, part.at);
      return [{ toolUse: { toolUseId: toolUseId(part.id), name: toolName(part.name), input } }];
    }
  }
}

/** Only Claude signs its reasoning. It and OpenAI's models take back what they sealed; all other is rejected. */
function writeReasoning({ text, proof }: ReasoningPart, family: BedrockFamily): object[] {
  if (proof?.dialect !== 'bedrock') return [];
  const { value } = proof;
  if (value.startsWith(REDACTED_PREFIX)) {
    const redactedContent = value.slice(REDACTED_PREFIX.length);
    return family === 'claude' || family === 'gpt' ? [{ reasoningContent: { redactedContent } }] : [];
  }
  return family === 'claude' ? [{ reasoningContent: { reasoningText: { text, signature: value } } }] : [];
}
