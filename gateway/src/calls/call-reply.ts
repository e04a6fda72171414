/** Where the answer to a call of any kind goes. Implemented by HTTP and by the lines of batches. */
import type { Problem } from '../kernel/problem.ts';
import type { CallRecord } from '../metering/call-record.ts';
import type { AnswerContext } from '../text/text-format.ts';
import type { CallFacts } from './settle-call.ts';

export interface CallReply {
  /** Present if the answer is kept for repeats of the request. A disconnect then does not end the call. */
  readonly kept?: KeptReply;
  /** Called when a text call has passed all checks and limits, before a provider is asked. Throws to reject it. */
  admitted?(call: AdmittedCall): Promise<void>;
  /** The caller disconnected before the answer was complete. */
  readonly gone: boolean;
  /** Why the call has to end before its answer is complete; null if it may go on. */
  readonly stopped: Problem | null;
  /** Called once if the caller disconnects or the call is stopped; at most one listener. */
  onGone(listener: () => void): void;
  /** Adds headers to a successful answer, streamed or not; called when its head is sent. */
  onHead(headers: () => ReplyHeaders): void;
  /** Sends an answer in one piece: JSON, unless its headers have another type. */
  sendWhole(answer: WholeReply): void;
  /** Begins an answer in pieces, which are server-sent events. */
  startStream(headers: ReplyHeaders): void;
  /** Writes complete events as a byte string. False: stop reading until `onDrain`. */
  write(events: string): boolean;
  onDrain(listener: () => void): void;
  endStream(events: string): void;
  /** Sets how an error is written once the stream has begun: as its last frames, in a byte string. */
  onFail(write: (problem: Problem) => string): void;
  /** Sets what is written while the stream is silent, in a byte string. Empty: a comment. */
  onSilence(write: () => string): void;
}

export interface AdmittedCall {
  readonly facts: CallFacts;
  readonly context: AnswerContext<unknown>;
  /** Number of images in the prompt. */
  readonly images: number;
  promptTexts(): string[];
}

export interface KeptReply {
  /** Stores the end of a stream, or a whole answer, before the call is charged. Rejects if it must not be charged. */
  storeEnd(events: string, record: CallRecord): Promise<void>;
  storeWhole(answer: WholeReply, record: CallRecord): Promise<void>;
  /** The charge is durable. */
  charged(): void;
}

export interface WholeReply {
  /** A byte string, or a list of buffers. */
  readonly body: string | readonly Buffer[];
  readonly headers: ReplyHeaders;
}

export type ReplyHeaders = Readonly<Record<string, string>>;
