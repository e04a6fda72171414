/**
 * The one way to answer a paid endpoint: it reads the request, answers a repeat of it, or runs the call. What endpoints
 * differ in is a `PaidCall`.
 */
import type { Hash } from 'node:crypto';
import type { Principal } from '../access/principal.ts';
import type { CallTags } from '../calls/attribute-call.ts';
import type { CallRequest } from '../calls/begin-call.ts';
import { endpoints } from '../contract/endpoints.ts';
import { callKinds, type PaidEndpointName, paidEndpoint } from '../contract/paid-endpoints.ts';
import type { EdgeRequest } from '../edge/edge-request.ts';
import type { Clock } from '../kernel/time.ts';
import type { OpenLimits } from '../memory/open-limits.ts';
import {
  answerRepeatable,
  type OnceRequest,
  type Repeatable,
  readRepeatable,
  type WrapReply,
} from './answer-once.ts';
import { type HttpRoute, keyedRoute, leaseOf } from './define-route.ts';
import type { Exchange } from './exchange.ts';
import { HttpCallReply } from './http-call-reply.ts';
import type { KeepAliveTimer } from './keep-alive-timer.ts';
import { readCallTags } from './read-tags.ts';
import type { FollowAnswerOptions } from './send-followed.ts';

/** `Sent`: what was read of the request. */
export interface PaidCall<Sent> {
  /** Reads the beta header, in formats that have one. Called first, so that a wrong header is rejected at once. */
  beta?(request: EdgeRequest): string | null;
  /** Reads the body. The digest gets what tells it from another one. */
  receive(exchange: Exchange, digest: Hash | undefined): Promise<Sent>;
  /** Throws a Problem if the request is not valid. */
  check(sent: Sent, asked: AskedCall): CheckedCall | Promise<CheckedCall>;
  /** How a repeat is answered; absent: in one piece. */
  repeat?(sent: Sent): Pick<OnceRequest, 'streamed' | 'writeFailure'>;
  /** For kinds that can run in the background: does so, if the request wants it; null: it does not. */
  background?(sent: Sent, asked: DetachedCall): Promise<void> | null;
}

export interface AskedCall {
  readonly exchange: Exchange;
  readonly principal: Principal;
  readonly beta: string | null;
  /** The answer is kept for repeats of the request. */
  readonly isKept: boolean;
}

export interface CheckedCall {
  /** As the caller names it. */
  readonly model: string;
  readonly streams: boolean;
  run(request: CallRequest): Promise<void>;
}

export interface DetachedCall {
  readonly exchange: Exchange;
  readonly principal: Principal;
  /** Null without an Idempotency-Key. */
  readonly repeatable: Repeatable | null;
  readonly tags: CallTags | null;
}

export interface PaidRouteOptions {
  readonly clock: Clock;
  readonly keepAlive: KeepAliveTimer;
  readonly openStreams: OpenLimits;
  /** For requests with an Idempotency-Key. */
  readonly once: FollowAnswerOptions;
}

export function paidRoute<Sent>(
  name: PaidEndpointName,
  call: PaidCall<Sent>,
  options: PaidRouteOptions,
): HttpRoute {
  const { repeats, kind } = paidEndpoint(name);
  if (callKinds[kind].background !== (call.background !== undefined))
    throw new Error(`${name} is declared otherwise than it answers in the background`);
  return keyedRoute(name, endpoints[name], async (exchange, principal) => {
    const beta = call.beta?.(exchange.request) ?? null;
    const tags = readCallTags(exchange.request);
    const repeatable = readRepeatable(exchange.request, repeats);
    const sent = await call.receive(exchange, repeatable?.digest);
    const detached = call.background?.(sent, { exchange, principal, repeatable, tags }) ?? null;
    if (detached !== null) return await detached;
    if (repeatable === null)
      return await checkAndRun(call, sent, { exchange, principal, beta, tags, wrap: null }, options);
    const answer = async (wrap: WrapReply): Promise<void> =>
      await checkAndRun(call, sent, { exchange, principal, beta, tags, wrap }, options);
    const once = { exchange, principal, repeatable, ...call.repeat?.(sent) };
    await answerRepeatable(once, answer, options.once);
  });
}

interface Asked extends Pick<AskedCall, 'exchange' | 'principal' | 'beta'> {
  readonly tags: CallTags | null;
  readonly wrap: WrapReply | null;
}

/** Most requests are checked without waiting, and take no promise for it. */
function checkAndRun<Sent>(
  call: PaidCall<Sent>,
  sent: Sent,
  asked: Asked,
  options: PaidRouteOptions,
): Promise<void> {
  const { exchange, principal, beta, wrap } = asked;
  const checking = call.check(sent, { exchange, principal, beta, isKept: wrap !== null });
  return checking instanceof Promise
    ? checking.then((checked) => run(checked, asked, options))
    : run(checking, asked, options);
}

function run(
  checked: CheckedCall,
  { exchange, principal, tags, wrap }: Asked,
  { clock, keepAlive, openStreams }: PaidRouteOptions,
): Promise<void> {
  exchange.model = checked.model;
  const { streams } = checked;
  const { id, startedAt, startedMs, trace } = exchange;
  const lease = leaseOf(exchange);
  if (streams) exchange.onOver(openStreams.enter(principal));
  const http = new HttpCallReply(exchange, { streams, keepAlive, clock });
  const reply = wrap === null ? http : wrap(http);
  return checked.run({ id, principal, lease, reply, startedAt, startedMs, tags, trace });
}
