/** The route of a paid endpoint that takes JSON and answers in one piece. */
import type { CallRequest } from '../calls/begin-call.ts';
import type { CallTools } from '../calls/call-tools.ts';
import type { PaidEndpointName } from '../contract/paid-endpoints.ts';
import type { JsonObject } from '../json/parse-json.ts';
import { expandInline } from '../json/placeholders.ts';
import type { HttpRoute } from './define-route.ts';
import { type PaidRouteOptions, paidRoute } from './paid-route.ts';
import { type BodyLimits, readJsonBody } from './read-body.ts';

export interface JsonRouteOptions extends PaidRouteOptions {
  readonly tools: CallTools;
  readonly body: BodyLimits;
}

interface JsonCall<Request extends { readonly model: string }> {
  /** Throws a Problem if the request is not valid. */
  check(value: Record<string, unknown>): Request | Promise<Request>;
  run(call: CallRequest, sent: { request: Request; body: JsonObject }, tools: CallTools): Promise<void>;
}

export function jsonRoute<Request extends { readonly model: string }>(
  name: PaidEndpointName,
  { check, run }: JsonCall<Request>,
): (options: JsonRouteOptions) => HttpRoute {
  return (options) =>
    paidRoute<JsonObject>(
      name,
      {
        receive: (exchange, digest) => readJsonBody(exchange, options.body, digest),
        async check(body) {
          const { value, inline } = body;
          const request = await check(inline === undefined ? value : expandInline(value, inline, 'all'));
          return {
            model: request.model,
            streams: false,
            run: (call) => run(call, { request, body }, options.tools),
          };
        },
      },
      options,
    );
}
