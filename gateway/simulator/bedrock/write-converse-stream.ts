/** Writes a neutral answer as the events of a Converse stream. */
import type { Usage } from '../brain/prompt.ts';
import { cutEvery, cutInto } from '../pieces.ts';
import type { Frame } from '../script.ts';
import { eventFrame } from './event-message.ts';
import { type Reply, type ReplyBlock, writeMetadata } from './write-converse.ts';

const CHARACTERS_PER_CHUNK = 6;
const PADDING = 'abcdefghijklmnopqrstuvwxyz';

export function writeFrames(reply: Reply, options: { usage: Usage | null; chunks: number | null }): Frame[] {
  const blocks = reply.blocks.flatMap((block, index) => writeBlock(block, index, options.chunks));
  return [
    { kind: 'start', text: padded('messageStart', { role: 'assistant' }) },
    ...blocks.map((text): Frame => ({ kind: 'content', text })),
    { kind: 'finish', text: padded('messageStop', writeStop(reply)) },
    { kind: 'usage', text: padded('metadata', writeMetadata(options.usage, reply)) },
  ];
}

export function writeContent(text: string): string {
  return padded('contentBlockDelta', { contentBlockIndex: 0, delta: { text } });
}

/** In a stream the field stands where the model's own event has it. */
function writeStop({ stopReason, stopSequence }: Reply): object {
  if (stopSequence === null) return { stopReason };
  return { stopReason, additionalModelResponseFields: { delta: { stop_sequence: stopSequence } } };
}

/** A block of text or of thinking has no start of its own. */
function writeBlock(block: ReplyBlock, contentBlockIndex: number, chunks: number | null): string[] {
  const stop = padded('contentBlockStop', { contentBlockIndex });
  const deltas = (pieces: string[], write: (piece: string) => object): string[] =>
    pieces.map((piece) => padded('contentBlockDelta', { contentBlockIndex, delta: write(piece) }));
  if (block.type === 'text') {
    const pieces = chunks === null ? cutEvery(block.text, CHARACTERS_PER_CHUNK) : cutInto(block.text, chunks);
    return [...deltas(pieces, (text) => ({ text })), stop];
  }
  if (block.type === 'redacted') {
    return [...deltas([block.data], (redactedContent) => ({ reasoningContent: { redactedContent } })), stop];
  }
  if (block.type === 'reasoning') {
    const { text, signature } = block;
    const thought = cutEvery(text, CHARACTERS_PER_CHUNK).filter((piece) => piece !== '');
    return [
      ...deltas(thought, (piece) => ({ reasoningContent: { text: piece } })),
      ...deltas(signature === null ? [] : [signature], (it) => ({ reasoningContent: { signature: it } })),
      stop,
    ];
  }
  const { name, toolUseId } = block;
  const start = padded('contentBlockStart', { contentBlockIndex, start: { toolUse: { name, toolUseId } } });
  const pieces = ['', ...cutEvery(block.input, CHARACTERS_PER_CHUNK)];
  return [start, ...deltas(pieces, (input) => ({ toolUse: { input } })), stop];
}

/** Bedrock hides the length of what is said behind letters without a meaning. */
function padded(event: string, payload: object): string {
  const { length } = JSON.stringify(payload);
  return eventFrame(event, { ...payload, p: PADDING.slice(0, 1 + (length % PADDING.length)) });
}
