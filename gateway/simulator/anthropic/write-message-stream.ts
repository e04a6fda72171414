/** Writes a neutral answer as the events of a message stream. */
import type { Usage } from '../brain/prompt.ts';
import { cutEvery, cutInto } from '../pieces.ts';
import type { Frame } from '../script.ts';
import {
  type Envelope,
  openMessage,
  type Reply,
  type ReplyBlock,
  writeCounts,
  writeUsage,
} from './write-message.ts';

const CHARACTERS_PER_CHUNK = 4;
const CHARACTERS_PER_FRAGMENT = 8;

export function writeFrames(
  reply: Reply,
  envelope: Envelope,
  options: { usage: Usage | null; chunks: number | null },
): Frame[] {
  const { usage, chunks } = options;
  const message = {
    ...openMessage(envelope),
    ...(usage === null ? {} : { usage: writeUsage(soFar(usage)) }),
  };
  const frames: Frame[] = [{ kind: 'start', text: event('message_start', { message }) }];
  reply.blocks.forEach((block, index) => {
    const start = event('content_block_start', { index, content_block: emptied(block) });
    frames.push({ kind: index === 0 ? 'start' : 'content', text: start });
    if (index === 0) frames.push(ping);
    for (const delta of deltasOf(block, chunks)) {
      frames.push({ kind: 'content', text: event('content_block_delta', { index, delta }) });
    }
    frames.push({ kind: 'content', text: event('content_block_stop', { index }) });
  });
  if (reply.blocks.length === 0) frames.push(ping);
  const { stopReason, stopSequence } = reply;
  frames.push({ kind: 'finish', text: writeDelta({ stopReason, stopSequence }, usage) });
  frames.push({ kind: 'done', text: event('message_stop', {}) });
  return frames;
}

/** A delta that goes on with the first block, whatever it is. */
export function writeContent(reply: Reply, text: string): string {
  const type = reply.blocks[0]?.type;
  const delta =
    type === 'tool_use'
      ? { type: 'input_json_delta', partial_json: text }
      : type === 'thinking'
        ? { type: 'thinking_delta', thinking: text }
        : { type: 'text_delta', text };
  return event('content_block_delta', { index: 0, delta });
}

/** The counts are of all so far, not of what came since the last. */
export function writeDelta(
  stop: { stopReason: string | null; stopSequence: string | null },
  usage: Usage | null,
): string {
  return event('message_delta', {
    delta: { stop_reason: stop.stopReason, stop_sequence: stop.stopSequence },
    ...(usage === null ? {} : { usage: writeCounts(usage) }),
  });
}

/** At the start the input is known and one token is out. */
function soFar(usage: Usage): Usage {
  return { ...usage, outputTokens: Math.min(1, usage.outputTokens) };
}

const ping: Frame = { kind: 'start', text: event('ping', {}) };

function event(type: string, fields: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
}

function emptied(block: ReplyBlock): object {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: '' };
    case 'thinking':
      return { type: 'thinking', thinking: '', signature: '' };
    case 'tool_use':
      return { type: 'tool_use', id: block.id, name: block.name, input: {} };
    default:
      return block;
  }
}

function deltasOf(block: ReplyBlock, chunks: number | null): object[] {
  if (block.type === 'text') {
    const pieces = chunks === null ? cutEvery(block.text, CHARACTERS_PER_CHUNK) : cutInto(block.text, chunks);
    return pieces.map((text) => ({ type: 'text_delta', text }));
  }
  if (block.type === 'thinking') {
    const pieces = cutEvery(block.thinking, CHARACTERS_PER_CHUNK);
    return [
      ...pieces.map((thinking) => ({ type: 'thinking_delta', thinking })),
      { type: 'signature_delta', signature: block.signature },
    ];
  }
  if (block.type !== 'tool_use') return [];
  const count = Math.max(2, Math.ceil(block.arguments.length / CHARACTERS_PER_FRAGMENT));
  const pieces = ['', ...cutInto(block.arguments, count)];
  return pieces.map((piece) => ({ type: 'input_json_delta', partial_json: piece }));
}
