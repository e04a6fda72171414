/**
 * What a protocol makes of one request: all it takes to play the answer, well or badly. Faults work
 * on scripts alone, so that each serves every protocol.
 */
import type { Usage } from './brain/prompt.ts';
import type { Refusal } from './refusal.ts';

export interface Script {
  readonly model: string;
  readonly stream: boolean;
  /** The text in which cues are looked for. */
  readonly asked: string;
  /** The same number for the same prompt. */
  readonly hash: number;
  /** The whole answer as one body. */
  body(bill: Bill): string;
  /** The whole answer as a stream; `chunks` asks for just so many content frames. */
  frames(bill: Bill, chunks: number | null): readonly Frame[];
  /** One more content frame with this text. */
  contentFrame(text: string): string;
}

/** `start` opens the stream, `done` closes it; the texts are ready for the wire. */
export interface Frame {
  readonly kind: 'start' | 'content' | 'finish' | 'usage' | 'done';
  readonly text: string;
}

/** Changes the usage that is told; null tells none. */
export type Bill = (usage: Usage) => Usage | null;

export const honestBill: Bill = (usage) => usage;

/** One endpoint of one protocol. */
export interface Endpoint {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** The key that a caller presents in this protocol's way. */
  readKey(headers: RequestHeaders): string | null;
  /** Throws a Refusal for a request the provider would turn down. */
  read(body: unknown): Script;
  writeRefusal(refusal: Refusal): string;
  /** An error in the middle of a stream. */
  refusalFrame(refusal: Refusal): string;
}

export type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>;
