/** What the routes for text calls have in common. */
import { runText } from '../calls/run-text.ts';
import type { TextRequest } from '../calls/text-request.ts';
import type { PaidEndpointName } from '../contract/paid-endpoints.ts';
import type { JsonObject } from '../json/parse-json.ts';
import { giveBack } from '../memory/body-memory.ts';
import type { TextFormat } from '../text/text-format.ts';
import type { HttpRoute } from './define-route.ts';
import type { JsonRouteOptions } from './json-route.ts';
import { type AskedCall, type CheckedCall, type PaidCall, paidRoute } from './paid-route.ts';
import { readJsonBody } from './read-body.ts';
import { failureIn } from './write-failure.ts';

interface StreamableRequest {
  readonly model: string;
  readonly stream?: boolean | null;
}

/** A checked request, and what only some formats have. */
type CheckedRequest<Request extends StreamableRequest> = Pick<
  TextRequest<Request>,
  'request' | 'body' | 'keep'
>;

export interface TextRoute<Request extends StreamableRequest>
  extends Pick<PaidCall<JsonObject>, 'beta' | 'background'> {
  readonly format: TextFormat<Request>;
  /** Throws a Problem if the request is not valid. */
  check(sent: JsonObject, asked: AskedCall): CheckedRequest<Request> | Promise<CheckedRequest<Request>>;
}

export function textRoute<Request extends StreamableRequest>(
  name: PaidEndpointName,
  route: TextRoute<Request>,
  options: JsonRouteOptions,
): HttpRoute {
  const { format } = route;
  const { tools, body: limits } = options;
  const ready = (checked: CheckedRequest<Request>, sent: JsonObject, asked: AskedCall): CheckedCall => {
    const { request, body, keep } = checked;
    const { exchange, beta, isKept } = asked;
    // An answer that is kept or repeated may still need the request after it was sent.
    const { blocks } = sent;
    if (blocks !== undefined && keep === null && !isKept)
      exchange.onOver(() => {
        for (const block of blocks) giveBack(block);
      });
    const { headers } = exchange.request;
    return {
      model: request.model,
      streams: request.stream === true,
      run: (call) => runText({ ...call, format, body, request, headers, beta, keep }, tools),
    };
  };
  return paidRoute<JsonObject>(
    name,
    {
      ...(route.beta !== undefined && { beta: route.beta }),
      ...(route.background !== undefined && { background: route.background }),
      receive: (exchange, digest) => readJsonBody(exchange, limits, digest),
      check(sent, asked) {
        const checking = route.check(sent, asked);
        return checking instanceof Promise
          ? checking.then((checked) => ready(checked, sent, asked))
          : ready(checking, sent, asked);
      },
      repeat: (sent) => ({ streamed: sent.value.stream === true, writeFailure: failureIn(format, sent) }),
    },
    options,
  );
}
