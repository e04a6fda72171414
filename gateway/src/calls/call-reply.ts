/** Where the answer to a call goes: text, embeddings or images. Implemented by HTTP and by the lines of batches. */
import type { Problem } from '../kernel/problem.ts';

export interface CallReply {
  /** The caller disconnected before the answer was complete. */
  readonly gone: boolean;
  /** Called once if the caller disconnects; at most one listener. */
  onGone(listener: () => void): void;
  /** Adds headers to a successful answer, streamed or not; called when its head is sent. */
  onHead(headers: () => ReplyHeaders): void;
  /** The body is a byte string, or a list of buffers. */
  sendJson(body: string | readonly Buffer[], headers: ReplyHeaders): void;
  startStream(headers: ReplyHeaders): void;
  /** Writes complete events as a byte string. False: stop reading until `onDrain`. */
  write(events: string): boolean;
  onDrain(listener: () => void): void;
  endStream(events: string): void;
  /** Sets how an error is written once the stream has begun: as its last frames, in a byte string. */
  onFail(write: (problem: Problem) => string): void;
}

export type ReplyHeaders = Readonly<Record<string, string>>;
