/** Reads the messages of a request into neutral turns, as strictly as Bedrock does. */
import type { SeenImage, Turn } from '../brain/prompt.ts';
import { type Json, record } from '../json.ts';
import { BlockReader, type MessageRules } from './check-blocks.ts';
import { invalid } from './refusals.ts';

export interface Message {
  readonly role: string;
  readonly blocks: readonly Json[];
}

/** The messages, checked one by one and with each other. */
export function readConversation(value: unknown, rules: MessageRules): readonly Message[] {
  const reader = new BlockReader(rules);
  const messages = (Array.isArray(value) ? value : []).map((given, i) =>
    readMessage(record(given), i, reader),
  );
  if (messages[0]?.role !== 'user') {
    throw invalid(
      'A conversation must start with a user message. Try again with a conversation that starts with a user message.',
    );
  }
  messages.forEach((message, index) => {
    checkOrder(message, messages[index - 1]);
    checkResults(message, messages[index - 1], index);
  });
  return messages;
}

function readMessage(message: Json | null, index: number, reader: BlockReader): Message {
  const at = `messages.${index}`;
  const { role, content } = message ?? {};
  if (role !== 'user' && role !== 'assistant') throw invalid(`The value at ${at}.role is not valid.`);
  const blocks = Array.isArray(content) ? content.map(record) : [];
  if (blocks.length === 0) {
    throw invalid(
      `The content field in the Message object at ${at} is empty. Add a ContentBlock object to the content field and try again.`,
    );
  }
  const checked = blocks.map((block, place) => reader.check(block, `${at}.content.${place}`, role));
  const hasDocument = checked.some((block) => block.document !== undefined);
  if (hasDocument && !checked.some((block) => block.text !== undefined)) {
    throw invalid(
      `The content field at ${at} has a document block and no text block. Add a text block and try again.`,
    );
  }
  return { role, blocks: checked };
}

function checkOrder(message: Message, before: Message | undefined): void {
  if (message.role !== before?.role) return;
  throw invalid(
    'A conversation must alternate between user and assistant roles. ' +
      'Make sure the conversation alternates between user and assistant roles and try again.',
  );
}

/** Each call is answered in the message after it, and nothing else is. */
function checkResults(message: Message, before: Message | undefined, index: number): void {
  const called = all(before?.blocks ?? [], 'toolUse').map(({ toolUseId }) => toolUseId);
  const answered = all(message.blocks, 'toolResult').map(({ toolUseId }) => toolUseId);
  const open = called.filter((id) => !answered.includes(id));
  if (open.length > 0) {
    throw invalid(
      `Expected toolResult blocks at messages.${index}.content for the following Ids: ${open.join(', ')}`,
    );
  }
  if (answered.length > called.length) {
    throw invalid(
      `The number of toolResult blocks at messages.${index}.content exceeds the number of toolUse blocks of previous turn.`,
    );
  }
}

export function all(blocks: readonly Json[], name: string): Json[] {
  return blocks.map((block) => record(block[name])).filter((value) => value !== null);
}

/** Results of tools stand within messages of the user, and are turns of their own to the brain. */
export function turnsOf({ role, blocks }: Message): Turn[] {
  const results = all(blocks, 'toolResult').map(({ content }): Turn => {
    const held = content as Json[];
    return { role: 'tool', text: textOf(held), images: all(held, 'image').map(imageOf), toolCalls: [] };
  });
  const spoken = blocks.filter((block) => block.toolResult === undefined && block.cachePoint === undefined);
  if (spoken.length === 0) return results;
  const turn: Turn = {
    role: role === 'user' ? 'user' : 'assistant',
    text: textOf(spoken),
    images: all(spoken, 'image').map(imageOf),
    toolCalls: all(spoken, 'toolUse').map(({ name, input }) => ({
      name: String(name),
      arguments: JSON.stringify(input),
    })),
  };
  return [...results, turn];
}

function textOf(blocks: readonly Json[]): string {
  return blocks.flatMap(({ text }) => (typeof text === 'string' ? [text] : [])).join('\n');
}

function imageOf({ format, source }: Json): SeenImage {
  const bytes = Buffer.from(String(record(source)?.bytes), 'base64');
  return { kind: 'bytes', mediaType: `image/${format}`, bytes };
}
