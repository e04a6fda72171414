import { runEmbedding } from '../../calls/run-embedding.ts';
import type { RunTextTools } from '../../calls/text-request.ts';
import { checkLongEmbeddingsRequest } from '../../contract/check-embeddings.ts';
import { endpoints } from '../../contract/endpoints.ts';
import { expandInline } from '../../kernel/json/placeholders.ts';
import { keyedRoute, leaseOf, type Route } from '../define-route.ts';
import { type BodyLimits, readJsonBody } from '../read-body.ts';
import type { StreamPulse } from '../stream-pulse.ts';
import { HttpTextReply } from '../text-reply.ts';

export function embeddingsRoute(
  tools: RunTextTools,
  options: { body: BodyLimits; pulse: StreamPulse },
): Route {
  return keyedRoute('createEmbedding', endpoints.createEmbedding, async (exchange, principal) => {
    const body = await readJsonBody(exchange, options.body);
    const { value, inline } = body;
    const request = await checkLongEmbeddingsRequest(
      inline === undefined ? value : expandInline(value, inline, 'all'),
    );
    const { id, startedAt, startedMs } = exchange;
    const lease = leaseOf(exchange);
    const reply = new HttpTextReply(exchange, { streams: false, pulse: options.pulse, clock: tools.clock });
    await runEmbedding({ id, principal, lease, body, request, reply, startedAt, startedMs }, tools);
  });
}
