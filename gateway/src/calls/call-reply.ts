import type { Problem } from '../kernel/problem.ts';

/** Where the answer to a text call goes. The HTTP edge implements it. */
export interface CallReply {
  /** The caller left before the answer was whole. */
  readonly gone: boolean;
  /** Called once if the caller leaves; at most one listener. */
  onGone(listener: () => void): void;
  /** Asked for more headers when the head of a good answer leaves, however it begins. */
  onHead(headers: () => ReplyHeaders): void;
  /** The body is a byte string, or comes in pieces. */
  sendJson(body: string | readonly Buffer[], headers: ReplyHeaders): void;
  startStream(headers: ReplyHeaders): void;
  /** Writes whole events as a byte string. False: wait for `onDrain` before more is read. */
  write(events: string): boolean;
  onDrain(listener: () => void): void;
  endStream(events: string): void;
  /** How a stream that has begun tells of a problem: its last frames, as a byte string. */
  onFail(write: (problem: Problem) => string): void;
}

export type ReplyHeaders = Readonly<Record<string, string>>;
