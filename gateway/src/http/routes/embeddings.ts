/** The embeddings endpoint. */
import type { Principal } from '../../access/principal.ts';
import type { CallTools } from '../../calls/call-tools.ts';
import { runEmbedding } from '../../calls/run-embedding.ts';
import { checkLongEmbeddingsRequest } from '../../contract/check-embeddings.ts';
import { endpoints } from '../../contract/endpoints.ts';
import type { JsonObject } from '../../kernel/json/parse-json.ts';
import { expandInline } from '../../kernel/json/placeholders.ts';
import { answerRepeatable, readRepeatable, type WrapReply } from '../answer-once.ts';
import { type HttpRoute, keyedRoute, leaseOf } from '../define-route.ts';
import type { Exchange } from '../exchange.ts';
import { HttpCallReply } from '../http-call-reply.ts';
import type { KeepAliveTimer } from '../keep-alive-timer.ts';
import { type BodyLimits, readJsonBody } from '../read-body.ts';
import type { FollowAnswerOptions } from '../send-followed.ts';

export interface EmbeddingsRouteOptions {
  readonly body: BodyLimits;
  readonly keepAlive: KeepAliveTimer;
  readonly once: FollowAnswerOptions;
}

export function embeddingsRoute(tools: CallTools, options: EmbeddingsRouteOptions): HttpRoute {
  const route = { tools, options };
  return keyedRoute('createEmbedding', endpoints.createEmbedding, async (exchange, principal) => {
    const repeatable = readRepeatable(exchange.request, 'embeddings');
    const body = await readJsonBody(exchange, options.body, repeatable?.digest);
    if (repeatable === null) await run(route, exchange, principal, body, null);
    else
      await answerRepeatable(
        { exchange, principal, repeatable },
        (wrap) => run(route, exchange, principal, body, wrap),
        options.once,
      );
  });
}

interface EmbeddingsRoute {
  readonly tools: CallTools;
  readonly options: EmbeddingsRouteOptions;
}

async function run(
  { tools, options }: EmbeddingsRoute,
  exchange: Exchange,
  principal: Principal,
  body: JsonObject,
  wrap: WrapReply | null,
): Promise<void> {
  const { value, inline } = body;
  const request = await checkLongEmbeddingsRequest(
    inline === undefined ? value : expandInline(value, inline, 'all'),
  );
  exchange.model = request.model;
  const { id, startedAt, startedMs, trace } = exchange;
  const lease = leaseOf(exchange);
  const http = new HttpCallReply(exchange, {
    streams: false,
    keepAlive: options.keepAlive,
    clock: tools.clock,
  });
  const reply = wrap === null ? http : wrap(http);
  await runEmbedding({ id, principal, lease, body, request, reply, startedAt, startedMs, trace }, tools);
}
