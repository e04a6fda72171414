/** What the routes for text calls have in common: they read the request, answer a repeat of it, or run the call. */
import type { Principal } from '../access/principal.ts';
import type { CallTools } from '../calls/call-tools.ts';
import { runText } from '../calls/run-text.ts';
import type { TextRequest } from '../calls/text-request.ts';
import { giveBack } from '../kernel/body-memory.ts';
import type { JsonObject } from '../kernel/json/parse-json.ts';
import type { OpenLimits } from '../metering/open-limits.ts';
import type { TextFormat } from '../text/text-format.ts';
import type { BackgroundRequest } from './answer-background.ts';
import { answerRepeatable, readRepeatable, type WrapReply } from './answer-once.ts';
import { leaseOf } from './define-route.ts';
import type { Exchange } from './exchange.ts';
import { HttpCallReply } from './http-call-reply.ts';
import type { KeepAliveTimer } from './keep-alive-timer.ts';
import { type BodyLimits, readJsonBody } from './read-body.ts';
import type { FollowAnswerOptions } from './send-followed.ts';
import { failureIn } from './write-failure.ts';

export interface TextRouteOptions {
  readonly body: BodyLimits;
  readonly keepAlive: KeepAliveTimer;
  readonly openStreams: OpenLimits;
  /** For requests with an Idempotency-Key. */
  readonly once: FollowAnswerOptions;
}

interface StreamableRequest {
  readonly model: string;
  readonly stream?: boolean | null;
}

/** A checked request, and what only its format has. */
type CheckedRequest<Request extends StreamableRequest> = Pick<
  TextRequest<Request>,
  'request' | 'body' | 'beta' | 'keep'
>;

export interface TextRoute<Request extends StreamableRequest> {
  readonly format: TextFormat<Request>;
  readonly tools: CallTools;
  readonly options: TextRouteOptions;
  /** Throws a Problem if the request is not valid. `callId`: the id of the exchange. */
  check(
    sent: JsonObject,
    principal: Principal,
    callId: string,
  ): CheckedRequest<Request> | Promise<CheckedRequest<Request>>;
  /** Answers a request with `background`, in formats that have it. */
  background?(asked: BackgroundRequest): Promise<void>;
}

export async function answerText<Request extends StreamableRequest>(
  route: TextRoute<Request>,
  exchange: Exchange,
  principal: Principal,
): Promise<void> {
  const { format, options } = route;
  const repeatable = readRepeatable(exchange.request, format.name);
  const sent = await readJsonBody(exchange, options.body, repeatable?.digest);
  if (sent.value.background === true && route.background !== undefined)
    return await route.background({ exchange, principal, sent, repeatable });
  if (repeatable === null) return await run(route, exchange, principal, sent, null);
  const streamed = sent.value.stream === true;
  const once = { exchange, principal, repeatable, streamed, writeFailure: failureIn(format, sent) };
  await answerRepeatable(once, (wrap) => run(route, exchange, principal, sent, wrap), options.once);
}

async function run<Request extends StreamableRequest>(
  { format, tools, options, check }: TextRoute<Request>,
  exchange: Exchange,
  principal: Principal,
  sent: JsonObject,
  wrap: WrapReply | null,
): Promise<void> {
  const checking = check(sent, principal, exchange.id);
  const { request, body, beta, keep } = checking instanceof Promise ? await checking : checking;
  exchange.model = request.model;
  // An answer that is kept or repeated may still need the request after it was sent.
  const { blocks } = sent;
  if (blocks !== undefined && keep === null && wrap === null)
    exchange.onOver(() => {
      for (const block of blocks) giveBack(block);
    });
  const { id, startedAt, startedMs, trace } = exchange;
  const { headers } = exchange.request;
  const lease = leaseOf(exchange);
  const streams = request.stream === true;
  if (streams) exchange.onOver(options.openStreams.enter(principal));
  const http = new HttpCallReply(exchange, { streams, keepAlive: options.keepAlive, clock: tools.clock });
  const reply = wrap === null ? http : wrap(http);
  await runText(
    { id, principal, lease, format, body, request, reply, startedAt, startedMs, trace, headers, beta, keep },
    tools,
  );
}
