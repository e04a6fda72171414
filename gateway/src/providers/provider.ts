/** What a provider can be asked for. Each offers what it has; there are no empty methods. */

import type { Problem } from '../kernel/problem.ts';
import type { Clock } from '../kernel/time.ts';
import type { UpstreamCall, UpstreamHandler } from '../net/upstream-call.ts';

export interface Provider {
  readonly name: string;
  /** True for the stand-in that invents its answers; callers are told by a header. */
  readonly simulated: boolean;
  readonly chat?: ChatProvider;
  close(): Promise<void>;
}

/** Speaks the chat-completions dialect. */
export interface ChatProvider {
  send(body: Buffer, handler: UpstreamHandler): UpstreamCall;
  /** Reads an error answer, or an error object found in a stream, as a Problem for the caller. */
  problem(status: number, body: Buffer): Problem;
}

/** What a provider needs of the world to talk over HTTP. */
export interface ProviderTools {
  readonly clock: Clock;
  readonly connectTimeoutMs: number;
  readonly silenceTimeoutMs: number;
}
