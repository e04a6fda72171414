/** Plays a script as a healthy provider does. Faults are variations on this. */
import type { Cues } from './cues.ts';
import type { Reply } from './reply.ts';
import { type Bill, type Endpoint, type Frame, honestBill, type Script } from './script.ts';

/** One request being answered. */
export interface Exchange {
  readonly endpoint: Endpoint;
  readonly script: Script;
  readonly cues: Cues;
  readonly reply: Reply;
  readonly path: string;
  /** The id the answer goes by. */
  readonly requestId: string;
  /** The key the caller presented. */
  readonly key: string | null;
  /** True once for each number, false ever after. */
  firstTime(hash: number): boolean;
}

export type Play = (exchange: Exchange) => void | Promise<void>;

export function playWell(exchange: Exchange): void | Promise<void> {
  return playBilled(exchange, honestBill);
}

export function playBilled(exchange: Exchange, bill: Bill): void | Promise<void> {
  const { script, cues, reply } = exchange;
  if (script.stream) return playFrames(exchange, script.frames(bill, cues.chunks));
  reply.sendJson(200, script.body(bill));
}

export async function playFrames(exchange: Exchange, frames: readonly Frame[]): Promise<void> {
  await openAndWrite(exchange, frames);
  exchange.reply.end();
}

/** Opens the stream and writes the frames, but leaves it open. */
export function openAndWrite(exchange: Exchange, frames: readonly Frame[]): Promise<boolean> {
  const { cues, reply } = exchange;
  reply.openStream(exchange.endpoint.dialect.byteStreams);
  return reply.writeAll(
    frames.map((frame) => frame.text),
    cues.paceMs ?? 0,
  );
}

export function framesOf(exchange: Exchange): readonly Frame[] {
  return exchange.script.frames(honestBill, exchange.cues.chunks);
}

/** The place in the middle of the content: as many content frames before it as after it. */
export function middleOf(frames: readonly Frame[]): number {
  const first = frames.findIndex((frame) => frame.kind === 'content');
  const last = frames.findLastIndex((frame) => frame.kind === 'content');
  return first < 0 ? 1 : Math.ceil((first + last + 1) / 2);
}

/** Everything the answer would send, as one text. */
export function wholeText(exchange: Exchange): string {
  if (!exchange.script.stream) return exchange.script.body(honestBill);
  return framesOf(exchange)
    .map((frame) => frame.text)
    .join('');
}
