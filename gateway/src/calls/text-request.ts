/** A text call as it is requested, and as it runs: shared by streamed answers and answers in one piece. */

import type { JsonObject } from '../json/parse-json.ts';
import type { Cancellation } from '../kernel/cancellation.ts';
import type { ByteLease } from '../memory/byte-budget.ts';
import type { AnswerReading } from '../providers/provider.ts';
import type { CallerHeaders } from '../text/conversation-start.ts';
import type { AnswerContext, TextFormat } from '../text/text-format.ts';
import type { CallRequest } from './begin-call.ts';
import type { CallSize } from './believable-usage.ts';
import type { CallReply } from './call-reply.ts';
import type { FallbackHook } from './fallback-hook.ts';
import type { KeepOutput } from './keep-output.ts';
import type { CallReferences } from './references/place-references.ts';
import type { CallFacts } from './settle-call.ts';

export interface TextRequest<Request extends { readonly model: string }> extends CallRequest {
  readonly format: TextFormat<Request>;
  readonly body: JsonObject;
  readonly request: Request;
  /** The caller's `anthropic-beta` header. */
  readonly beta: string | null;
  /** The caller's headers, which may name its session; absent for lines of batches. */
  readonly headers?: CallerHeaders;
  /** Null if the answer is not kept. */
  readonly keep: KeepOutput | null;
  /** True for a line of a batch: no field is renamed for the model. */
  readonly asWritten?: boolean;
}

/** A call that has passed all checks and limits. */
export interface RunningText<Request> {
  readonly lease: ByteLease;
  readonly format: TextFormat<Request>;
  readonly body: JsonObject;
  readonly request: Request;
  readonly reply: CallReply;
  readonly beta: string | null;
  readonly keep: KeepOutput | null;
  readonly context: AnswerContext<Request>;
  readonly reading: AnswerReading;
  readonly facts: CallFacts;
  readonly streams: boolean;
  /** Number of images in the prompt. */
  readonly images: number;
  /** Whether a tool result has images or files. */
  readonly toolMedia: boolean;
  /** What limits its usage. */
  readonly size: CallSize;
  /** Null if the request has no URLs and no references. */
  readonly references: CallReferences | null;
  readonly cancellation: Cancellation;
  readonly asWritten: boolean;
  /** The same for all turns of the conversation. */
  readonly conversation: () => string;
  /** The output limit that its space can pay for, if the caller set none; null: no limit is added. */
  readonly outputCap: number | null;
  /** Absent if no other model may answer. */
  readonly fallback?: FallbackHook;
}
