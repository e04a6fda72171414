/** A text call under way: what its whole and its streamed ending share. */
import type { Principal } from '../access/principal.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { Cancellation } from '../kernel/cancellation.ts';
import type { JsonObject } from '../kernel/json/parse-json.ts';
import type { ByteBudget, ByteLease } from '../metering/byte-budget.ts';
import type { AnswerContext, TextFormat } from '../text/text-format.ts';
import type { CallMedia, CallMediaTools } from './call-media.ts';
import type { Opened, UpstreamTools } from './call-upstream.ts';
import type { KeepOutput } from './keep-output.ts';
import type { CallFacts, SettleTools } from './settle-call.ts';
import type { StreamGather } from './stream-gather.ts';
import type { TextReply } from './text-reply.ts';

export interface RunTextTools extends UpstreamTools, SettleTools {
  readonly gather: StreamGather;
  /** Told of each stream that waits for its caller (1), and of each that waits no more (-1). */
  readonly onPaused: (change: 1 | -1) => void;
  readonly catalog: () => Pick<Catalog, 'find'>;
  /** How many bytes calls may hold. */
  readonly bytes: ByteBudget;
  /** For what calls name by address. */
  readonly media: CallMediaTools;
  readonly limits: {
    readonly messagesMax: number;
    readonly upstreamBodyBytesMax: number;
    /** From a call's start to the end of its whole answer, all attempts among it. */
    readonly callTotalMs: number;
    readonly streamTotalMs: number;
  };
}

export interface TextRequest<Request extends { readonly model: string }> {
  readonly id: string;
  /** What the call holds of the budget of its key and space. */
  readonly lease: ByteLease;
  readonly principal: Principal;
  readonly format: TextFormat<Request>;
  readonly body: JsonObject;
  readonly request: Request;
  readonly reply: TextReply;
  readonly startedAt: number;
  readonly startedMs: number;
  /** The caller's `anthropic-beta` header. */
  readonly beta: string | null;
  /** In the formats that keep answers. */
  readonly keep: KeepOutput | null;
  /** A line of a batch: no field of it is renamed for the model. */
  readonly asWritten?: boolean;
}

/** Admitted and checked. */
export interface RunningText<Request> {
  readonly lease: ByteLease;
  readonly format: TextFormat<Request>;
  readonly body: JsonObject;
  readonly request: Request;
  readonly reply: TextReply;
  readonly beta: string | null;
  readonly keep: KeepOutput | null;
  readonly context: AnswerContext<Request>;
  readonly facts: CallFacts;
  readonly streams: boolean;
  /** How many the prompt has. */
  readonly images: number;
  /** What it names by address; null for nothing. */
  readonly media: CallMedia | null;
  readonly cancellation: Cancellation;
  readonly asWritten: boolean;
}

export function replyHeaders(opened: Opened, overheadMs: number): Record<string, string> {
  const headers: Record<string, string> = { 'x-tollgate-overhead-ms': overheadMs.toFixed(2) };
  if (opened.provider.simulated) headers['x-tollgate-simulated'] = 'true';
  return headers;
}
