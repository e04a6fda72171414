/** What a connection needs from the server that it belongs to. */
import type { Clock } from '../kernel/time.ts';
import type { AnswerPaces, SlowReader } from './answer-pace.ts';
import type { EdgeRequest } from './edge-request.ts';
import type { EdgeResponse } from './edge-response.ts';
import type { KnownHeads } from './known-heads.ts';
import type { RequestFault } from './request-head.ts';

/** What all connections of a server share. */
export interface ConnectionHost {
  readonly clock: Clock;
  readonly headBytesMax: number;
  readonly headMs: number;
  readonly requestMs: number;
  readonly keepAliveMs: number;
  readonly paces: AnswerPaces;
  /** The end of the head of an answer after which the connection stays open. */
  readonly keepAliveLine: string;
  readonly heads: KnownHeads;
  date(): string;
  handle(request: EdgeRequest, response: EdgeResponse): void;
  /** The whole answer to bytes that are rejected. */
  answerFault(fault: RequestFault): string;
  /** A client was disconnected because it did not take its answer. */
  cut(why: SlowReader): void;
}
