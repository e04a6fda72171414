/** Faults in the frames of a stream. Where a call does not stream, some break its body in the same way. */
import type { Usage } from '../brain/prompt.ts';
import {
  type Exchange,
  framesOf,
  middleOf,
  openAndWrite,
  type Play,
  playBilled,
  playFrames,
  playWell,
  wholeText,
} from '../play.ts';
import type { Bill, Frame, Script } from '../script.ts';

const ENDLESS_PACE_MS = 1;
const PIECE_BYTES = 7;
const PAUSE_MS = 2_000;

/** Leaves out, adds or moves frames; a call that does not stream is answered well. */
export function reframe(change: (frames: readonly Frame[], exchange: Exchange) => readonly Frame[]): Play {
  return (exchange) => {
    if (!exchange.script.stream) return playWell(exchange);
    return playFrames(exchange, change(framesOf(exchange), exchange));
  };
}

export function rebill(bill: Bill): Play {
  return (exchange) => playBilled(exchange, bill);
}

export async function cutStream(exchange: Exchange): Promise<void> {
  await playHalf(exchange);
  exchange.reply.cut();
}

export async function cutFrame(exchange: Exchange): Promise<void> {
  await playHalf(exchange);
  const { script, reply } = exchange;
  if (script.stream) await reply.writeOut(script.contentFrame('never whole').slice(0, -20));
  reply.cut();
}

export async function hangMidStream(exchange: Exchange): Promise<void> {
  await playHalf(exchange);
}

/** A call that does not stream is answered well. */
export async function pauseMidStream(exchange: Exchange): Promise<void> {
  const { script, cues, reply } = exchange;
  if (!script.stream) return playWell(exchange);
  const frames = framesOf(exchange);
  const middle = middleOf(frames);
  await openAndWrite(exchange, frames.slice(0, middle));
  await reply.wait(cues.delayMs ?? PAUSE_MS);
  if (reply.gone) return;
  await reply.writeAll(
    frames.slice(middle).map((frame) => frame.text),
    cues.paceMs ?? 0,
  );
  reply.end();
}

export function withoutEnd(frames: readonly Frame[]): readonly Frame[] {
  return frames.filter((frame) => frame.kind === 'start' || frame.kind === 'content');
}

export function withoutDone(frames: readonly Frame[]): readonly Frame[] {
  return frames.filter((frame) => frame.kind !== 'done');
}

export function withDoneFirst(frames: readonly Frame[]): readonly Frame[] {
  return [...frames.filter((frame) => frame.kind === 'done'), ...withoutDone(frames)];
}

export function withGarbage(frames: readonly Frame[]): readonly Frame[] {
  const middle = middleOf(frames);
  const garbage: Frame = {
    kind: 'content',
    text: 'this is no field\n\u0000\u0001:::\ndata: {"broken": [{"off": {"cont\n\n',
  };
  return [...frames.slice(0, middle), garbage, ...frames.slice(middle)];
}

/** A first usage in the middle tells of half the output; the true one comes at the end. */
export function withUsageTwice(frames: readonly Frame[], exchange: Exchange): readonly Frame[] {
  const soFar: Bill = (usage) => ({
    ...usage,
    outputTokens: Math.floor(usage.outputTokens / 2),
    reasoningTokens: Math.floor(usage.reasoningTokens / 2),
  });
  const early = earlyUsage(exchange.script, soFar);
  const middle = middleOf(frames);
  return [...frames.slice(0, middle), ...early, ...frames.slice(middle)];
}

function earlyUsage(script: Script, bill: Bill): readonly Frame[] {
  const text = script.usageFrame?.(bill);
  if (text !== undefined) return [{ kind: 'usage', text }];
  return script.frames(bill, 1).filter((frame) => frame.kind === 'usage');
}

export const zeroUsage: Usage = {
  inputTokens: 0,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
};

export const absurdUsage: Usage = {
  inputTokens: -7,
  cachedTokens: 1e30,
  cacheWriteTokens: -0.5,
  outputTokens: 12.75,
  reasoningTokens: -1e30,
};

export async function playEndlessly(exchange: Exchange): Promise<void> {
  const { script, cues, reply } = exchange;
  const frames = framesOf(exchange).filter((frame) => frame.kind === 'start');
  if (script.stream) await openAndWrite(exchange, frames);
  else reply.open({ 'content-type': 'application/json' });
  const words = 'on and on '.repeat(Math.ceil((cues.bytes ?? 10) / 10));
  const piece = script.stream ? script.contentFrame(words) : ' '.repeat(100);
  await reply.writeAll(forEver(piece), cues.paceMs ?? ENDLESS_PACE_MS);
}

/** All that the event-stream format allows and nobody expects: still a valid answer. */
export async function playOddly(exchange: Exchange): Promise<void> {
  const { script, reply } = exchange;
  if (script.stream) reply.openStream(exchange.endpoint.dialect.byteStreams);
  else reply.open({ 'content-type': 'application/json' });
  // Pieces written in one go would leave as one.
  for (const piece of cutOddly(oddBytes(exchange))) await reply.writeOut(piece);
  reply.end();
}

function oddBytes(exchange: Exchange): Buffer {
  const whole = wholeText(exchange);
  if (!exchange.script.stream) {
    return Buffer.from(JSON.stringify(JSON.parse(whole), null, 1).replaceAll('\n', '\r\n'));
  }
  // Messages of bytes can be odd in no way but in where they are cut.
  if (exchange.endpoint.dialect.byteStreams !== undefined) return Buffer.from(whole, 'latin1');
  return Buffer.from(framesOf(exchange).map(writeOddly).join(''));
}

function writeOddly(frame: Frame): string {
  const lines = frame.text.trimEnd().split('\n');
  if (!frame.text.startsWith('event:')) lines.unshift('event: message');
  const spread = lines.flatMap((line) =>
    line.startsWith('data: {') ? ['data: {', `data:${line.slice('data: {'.length)}`] : [line],
  );
  return [': 잠시만요 … keep-alive', 'retry: 3000', ...spread, '', ''].join('\r\n');
}

/** Every few bytes, and within every character that has more than one. */
function cutOddly(bytes: Buffer): Buffer[] {
  const pieces: Buffer[] = [];
  let from = 0;
  for (let at = 1; at <= bytes.length; at++) {
    const within = at < bytes.length && ((bytes[at] as number) & 0xc0) === 0x80;
    if (!within && at - from < PIECE_BYTES && at < bytes.length) continue;
    pieces.push(bytes.subarray(from, at));
    from = at;
  }
  return pieces;
}

async function playHalf(exchange: Exchange): Promise<void> {
  const { script, reply } = exchange;
  if (!script.stream) {
    const body = wholeText(exchange);
    reply.open({ 'content-type': 'application/json' });
    await reply.writeOut(body.slice(0, body.length / 2));
    return;
  }
  const frames = framesOf(exchange);
  const half = frames.slice(0, middleOf(frames));
  await openAndWrite(exchange, half.slice(0, -1));
  await reply.writeOut(half.at(-1)?.text ?? '');
}

function* forEver(piece: string): Generator<string> {
  for (;;) yield piece;
}
