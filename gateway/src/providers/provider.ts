/** What a provider can be asked for. Each offers what it has; there are no empty methods. */

import type { OnSseFrame } from '../kernel/framing.ts';
import type { Problem } from '../kernel/problem.ts';
import type { Clock } from '../kernel/time.ts';
import type { UpstreamCall, UpstreamHandler } from '../net/upstream-call.ts';
import type { TextCall } from '../text/text-call.ts';
import type { OnTextEvent, TextStreamReader } from '../text/text-event.ts';
import type { RelayTarget, TextFormatName } from '../text/text-format.ts';
import type { TextResult } from '../text/text-result.ts';

export interface Provider {
  readonly name: string;
  /** True for the stand-in that invents its answers; callers are told by a header. */
  readonly simulated: boolean;
  /** The text dialects it speaks, the one for translations first. */
  readonly texts: readonly TextProvider[];
  close(): Promise<void>;
}

/** What every kind of call to a provider has. */
export interface ProviderApi {
  /** Reads an error answer, or an error object found in a stream, as a Problem for the caller. */
  problem(status: number, body: Buffer): Problem;
}

/** One text dialect: how to send a call, and pure translations from and to the neutral middle. */
export interface TextProvider extends ProviderApi {
  /** The format it speaks itself, whose calls are passed on unread; null is none of ours. */
  readonly format: TextFormatName | null;
  /** How bodies that are passed on must differ here. */
  readonly relay: Pick<RelayTarget, 'outputCapField' | 'asksUsage'>;
  send(request: TextSend, handler: UpstreamHandler): UpstreamCall;
  /** The body for a call. Throws CannotCarry for what the dialect has no word for. */
  writeRequest(call: TextCall, target: TextTarget): object;
  /** Null when the body is no answer of this dialect. */
  readAnswer(body: Buffer, callId: string): TextResult | null;
  readStream(callId: string, emit: OnTextEvent): TextStreamReader;
  /** Cuts its streams into frames, where they are no server-sent events. Throws FrameTooLong as those do. */
  readonly framing?: (onFrame: OnSseFrame, bytesMax: number) => { push(chunk: Buffer): void };
  /** Counts the tokens of a prompt, where the dialect can; the body is one of its own format. */
  readonly countTokens?: (request: TextSend, handler: UpstreamHandler) => UpstreamCall;
}

export interface TextSend {
  /** Some dialects have these two in the address. */
  readonly upstreamModel: string;
  readonly stream: boolean;
  readonly body: Buffer;
  /** The caller's `anthropic-beta` header: the one header that is ever passed on, within its dialect. */
  readonly beta: string | null;
}

/** The facts of the catalogue that a body depends on. */
export interface TextTarget {
  readonly upstreamModel: string;
  readonly outputTokensMax: number | null;
  readonly outputCapField: 'max_tokens' | 'max_completion_tokens' | null;
  /** Whether the model makes images beside text. */
  readonly makesImages: boolean;
}

/** What a provider needs of the world to talk over HTTP. */
export interface ProviderTools {
  readonly clock: Clock;
  readonly connectTimeoutMs: number;
  readonly silenceTimeoutMs: number;
}
