/** A chat call under way: what its whole and its streamed ending share. */
import type { Principal } from '../access/principal.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { ChatRequest } from '../contract/chat.ts';
import type { Cancellation } from '../kernel/cancellation.ts';
import type { JsonObject } from '../kernel/json.ts';
import type { TextFeatures } from '../text/text-features.ts';
import type { Opened, UpstreamTools } from './call-upstream.ts';
import type { CallFacts, SettleTools } from './settle-call.ts';
import type { TextReply } from './text-reply.ts';

export interface RunChatTools extends UpstreamTools, SettleTools {
  readonly catalog: () => Catalog;
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
export interface RunningChat extends Pick<ChatCall, 'body' | 'request' | 'reply'> {
  readonly facts: CallFacts;
  readonly features: TextFeatures;
  readonly cancellation: Cancellation;
}

export function replyHeaders(opened: Opened, overheadMs: number): Record<string, string> {
  const headers: Record<string, string> = { 'x-tollgate-overhead-ms': overheadMs.toFixed(2) };
  if (opened.provider.simulated) headers['x-tollgate-simulated'] = 'true';
  return headers;
}
