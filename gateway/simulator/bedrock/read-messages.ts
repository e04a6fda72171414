/** Reads the messages of a request into neutral turns, as strictly as Bedrock does. */
import type { ModelTraits } from '../brain/models.ts';
import type { SeenImage, Tool, Turn } from '../brain/prompt.ts';
import { type Json, record } from '../json.ts';
import { invalid } from './refusals.ts';

const FORMATS = ['png', 'jpeg', 'gif', 'webp'];
const ID = /^[a-zA-Z0-9_.:-]{1,64}$/;

interface Message {
  readonly role: string;
  readonly blocks: readonly Json[];
}

interface Rules {
  readonly traits: ModelTraits;
  readonly tools: readonly Tool[];
}

export function readTurns(value: unknown, rules: Rules): Turn[] {
  const messages = (Array.isArray(value) ? value : []).map((given, i) =>
    readMessage(record(given), i, rules),
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
  return messages.flatMap(turnsOf);
}

function readMessage(message: Json | null, index: number, rules: Rules): Message {
  const at = `messages.${index}`;
  const { role, content } = message ?? {};
  if (role !== 'user' && role !== 'assistant') throw invalid(`The value at ${at}.role is not valid.`);
  const blocks = Array.isArray(content) ? content.map(record) : [];
  if (blocks.length === 0) {
    throw invalid(
      `The content field in the Message object at ${at} is empty. Add a ContentBlock object to the content field and try again.`,
    );
  }
  return { role, blocks: blocks.map((block, place) => checkBlock(block, `${at}.content.${place}`, rules)) };
}

function checkBlock(block: Json | null, at: string, { traits, tools }: Rules): Json {
  const [kind, ...more] = Object.keys(block ?? {});
  if (block === null || kind === undefined || more.length > 0) {
    throw invalid(`The ContentBlock object at ${at} must set one of its keys.`);
  }
  if (kind === 'text' && (typeof block.text !== 'string' || block.text.trim() === '')) {
    throw invalid(
      `The text field in the ContentBlock object at ${at} is blank. Add text to the text field, and try again.`,
    );
  }
  if (kind === 'cachePoint' && !isCachePoint(block))
    throw invalid(`The value at ${at}.cachePoint is not valid.`);
  if (kind === 'image') checkImage(record(block.image), at, traits);
  if (kind !== 'toolUse' && kind !== 'toolResult') return block;
  if (tools.length === 0) {
    throw invalid('The toolConfig field must be defined when using toolUse and toolResult content blocks.');
  }
  const { toolUseId, input, content } = record(block[kind]) ?? {};
  if (typeof toolUseId !== 'string' || !ID.test(toolUseId)) {
    throw invalid(`The value at ${at}.${kind}.toolUseId is not valid.`);
  }
  if (kind === 'toolUse' && record(input) === null) {
    throw invalid(`The format of the value at ${at}.toolUse.input is invalid. Provide a json object.`);
  }
  if (kind === 'toolResult' && !Array.isArray(content)) {
    throw invalid(`The value at ${at}.toolResult.content is missing.`);
  }
  return block;
}

/** It changes nothing: a prompt is cached with and without it. */
export function isCachePoint(block: Json | null): boolean {
  const point = record(block?.cachePoint);
  if (point === null) return false;
  return point.type === 'default' && [undefined, '5m', '1h'].includes(point.ttl as string | undefined);
}

function checkImage(image: Json | null, at: string, traits: ModelTraits): void {
  if (!traits.seesImages) {
    throw invalid("This model doesn't support the image content block that you provided.");
  }
  if (!FORMATS.includes(String(image?.format)) || typeof record(image?.source)?.bytes !== 'string') {
    throw invalid(`The image at ${at} is not valid.`);
  }
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

function all(blocks: readonly Json[], name: string): Json[] {
  return blocks.map((block) => record(block[name])).filter((value) => value !== null);
}

/** Results of tools stand within messages of the user, and are turns of their own to the brain. */
function turnsOf({ role, blocks }: Message): Turn[] {
  const results = all(blocks, 'toolResult').map(
    ({ content }): Turn => ({ role: 'tool', text: textOf(content as Json[]), images: [], toolCalls: [] }),
  );
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
