/** A chat call under way: what its whole and its streamed ending share. */
import type { Principal } from '../access/principal.ts';
import type { ChatRequest } from '../contract/chat.ts';
import type { Cancellation } from '../kernel/cancellation.ts';
import type { JsonObject } from '../kernel/json.ts';
import type { TextFeatures } from '../text/text-features.ts';
import type { Opened, UpstreamTools } from './call-upstream.ts';
import type { CallEnd, CallFacts, SettleTools } from './settle-call.ts';
import type { ReplyHeaders, TextReply } from './text-reply.ts';

export interface RunChatTools extends UpstreamTools, SettleTools {
  readonly limits: { messagesMax: number; upstreamBodyBytesMax: number; streamTotalMs: number };
}

export interface ChatCall {
  readonly id: string;
  readonly principal: Principal;
  readonly body: JsonObject;
  readonly request: ChatRequest;
  readonly reply: TextReply;
  readonly startedAt: number;
  readonly startedMs: number;
}

/** Admitted and checked. */
export interface RunningChat extends ChatCall {
  readonly facts: CallFacts;
  readonly features: TextFeatures;
  readonly cancellation: Cancellation;
}

export function endOf(opened: Opened): Pick<CallEnd, 'route' | 'attempts'> {
  return { route: opened.route, attempts: opened.attempts };
}

export function replyHeaders(opened: Opened, overheadMs: number): ReplyHeaders {
  return {
    'x-tollgate-overhead-ms': overheadMs.toFixed(2),
    ...(opened.provider.simulated && { 'x-tollgate-simulated': 'true' }),
  };
}
