/** The embeddings endpoint. */
import type { CallTools } from '../../calls/call-tools.ts';
import { runEmbedding } from '../../calls/run-embedding.ts';
import { checkLongEmbeddingsRequest } from '../../contract/check-embeddings.ts';
import { endpoints } from '../../contract/endpoints.ts';
import { expandInline } from '../../kernel/json/placeholders.ts';
import { type HttpRoute, keyedRoute, leaseOf } from '../define-route.ts';
import { HttpCallReply } from '../http-call-reply.ts';
import type { KeepAliveTimer } from '../keep-alive-timer.ts';
import { type BodyLimits, readJsonBody } from '../read-body.ts';

export function embeddingsRoute(
  tools: CallTools,
  options: { body: BodyLimits; keepAlive: KeepAliveTimer },
): HttpRoute {
  return keyedRoute('createEmbedding', endpoints.createEmbedding, async (exchange, principal) => {
    const body = await readJsonBody(exchange, options.body);
    const { value, inline } = body;
    const request = await checkLongEmbeddingsRequest(
      inline === undefined ? value : expandInline(value, inline, 'all'),
    );
    exchange.model = request.model;
    const { id, startedAt, startedMs, trace } = exchange;
    const lease = leaseOf(exchange);
    const reply = new HttpCallReply(exchange, {
      streams: false,
      keepAlive: options.keepAlive,
      clock: tools.clock,
    });
    await runEmbedding({ id, principal, lease, body, request, reply, startedAt, startedMs, trace }, tools);
  });
}
