/** Reads the system text and the messages of a request into neutral turns. */
import type { ModelTraits } from '../brain/models.ts';
import type { SeenImage, Turn } from '../brain/prompt.ts';
import { type Json, record } from '../json.ts';
import { checkHistory, type Message } from './check-history.ts';
import { readBetas } from './read-betas.ts';
import { type Block, type ReadOptions, readBlocks } from './read-blocks.ts';
import { checkFields, invalid, required, shouldBe } from './refusals.ts';

type ReadMessage = Message | { readonly role: 'system'; readonly blocks: readonly Block[] };

const MESSAGE_FIELDS = new Set(['role', 'content']);

export function readSystem(value: unknown, traits: ModelTraits): readonly Turn[] {
  if (value == null) return [];
  const blocks = readBlocks(value, 'system', 'system', { traits, betas: readBetas(null) });
  if (blocks.some((block) => block.type !== 'text')) throw shouldBe('system.0.type', "'text'");
  if (value === '') return [];
  const text = blocks.map((block) => block.text).join('\n');
  return [{ role: 'system', text, images: [], toolCalls: [] }];
}

export function readTurns(
  value: unknown,
  options: ReadOptions & { thinkingBlocksRequired: boolean; prefill: boolean },
): readonly Turn[] {
  if (value === undefined) throw required('messages');
  if (!Array.isArray(value)) throw shouldBe('messages', 'a valid list');
  if (value.length === 0) throw invalid('messages: at least one message is required');
  const messages = value.map((given, index) => readMessage(record(given), index, value.length, options));
  // A message of the system stands beside the conversation; the rules of turns are not for it.
  checkHistory(
    messages.filter((message): message is Message => message.role !== 'system'),
    options,
  );
  return messages.flatMap(turnsOf);
}

function readMessage(message: Json | null, index: number, count: number, options: ReadOptions): ReadMessage {
  const at = `messages.${index}`;
  if (message === null) throw shouldBe(at, 'a valid dictionary or object to extract fields from');
  checkFields(message, MESSAGE_FIELDS, at);
  const { role } = message;
  if (role === undefined) throw required(`${at}.role`);
  if (role !== 'user' && role !== 'assistant' && role !== 'system') {
    throw invalid(
      `messages: Unexpected role "${role}". The Messages API accepts a top-level \`system\` parameter, not "system" as an input message role.`,
    );
  }
  if (message.content === undefined) throw required(`${at}.content`);
  const empty = message.content === '' || (Array.isArray(message.content) && message.content.length === 0);
  if (empty) {
    if (role === 'assistant' && index === count - 1) return { role, blocks: [] };
    throw invalid(
      `${at}: all messages must have non-empty content except for the optional final assistant message`,
    );
  }
  const blocks = readBlocks(message.content, `${at}.content`, role, options);
  return { role, blocks };
}

/** The tools that a search has found: results of tools refer to them. */
export function loadedTools(messages: unknown): ReadonlySet<string> {
  const found = new Set<string>();
  for (const message of Array.isArray(messages) ? messages : []) {
    const content = record(message)?.content;
    for (const block of Array.isArray(content) ? content : []) {
      const told = record(block)?.content;
      for (const part of Array.isArray(told) ? told : []) {
        if (record(part)?.type === 'tool_reference') found.add(String(part.tool_name));
      }
    }
  }
  return found;
}

/** Results of tools stand within messages of the user, and are turns of their own to the brain. */
function turnsOf(message: ReadMessage): Turn[] {
  const results = message.blocks.filter((block) => block.type === 'tool_result').map(resultTurn);
  const rest = message.blocks.filter((block) => block.type !== 'tool_result');
  if (rest.length === 0 && results.length > 0) return results;
  const toolCalls = rest
    .filter((block) => block.type === 'tool_use')
    .map((block) => ({ name: block.name as string, arguments: JSON.stringify(block.input) }));
  return [...results, { role: message.role, ...spoken(rest), toolCalls }];
}

function resultTurn(block: Block): Turn {
  const { content } = block;
  const parts = Array.isArray(content) ? (content as Block[]) : [];
  const said = typeof content === 'string' ? { text: content, images: [] } : spoken(parts);
  return { role: 'tool', ...said, toolCalls: [] };
}

function spoken(blocks: readonly Block[]): { text: string; images: SeenImage[] } {
  return {
    text: blocks
      .filter((block) => block.type === 'text')
      .map((block) => block.text)
      .join('\n'),
    images: blocks.filter((block) => block.type === 'image').map(imageOf),
  };
}

/** An address is only ever spoken of, never fetched. */
function imageOf(block: Block): SeenImage {
  const source = block.source as Json;
  if (source.type === 'url') return { kind: 'address', url: source.url as string };
  const bytes = Buffer.from(source.data as string, 'base64');
  return { kind: 'bytes', mediaType: source.media_type as string, bytes };
}
