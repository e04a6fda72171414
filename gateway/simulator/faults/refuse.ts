/** Faults in which the provider says no. */
import { type Exchange, framesOf, middleOf, type Play, playFrames, playWell } from '../play.ts';
import { Refusal } from '../refusal.ts';

const ORGANISATION = 'org-9tZq4LwXk2VbN7mD';

const refusals: Readonly<Record<number, Refusal>> = {
  400: new Refusal(400, 'The request is not valid.', { code: 'invalid_request' }),
  401: new Refusal(
    401,
    'Incorrect API key provided: sk-p********abcd. You can find your API key at https://platform.openai.com/account/api-keys.',
    { code: 'invalid_api_key' },
  ),
  403: new Refusal(403, 'Country, region, or territory not supported', {
    type: 'request_forbidden',
    code: 'unsupported_country_region_territory',
  }),
  404: new Refusal(404, 'The model `gpt-gone` does not exist or you do not have access to it.', {
    code: 'model_not_found',
  }),
  408: new Refusal(408, 'The request took too long to arrive.', { type: 'timeout' }),
  409: new Refusal(409, 'The resource was changed by another request.', { type: 'conflict' }),
  413: new Refusal(413, 'The request is too large.', { code: 'request_too_large' }),
  422: new Refusal(422, 'The request was well-formed but could not be processed.'),
  429: new Refusal(
    429,
    `Rate limit reached for sim-chat in organization ${ORGANISATION} on tokens per min (TPM): Limit 30000, Used 29937, ` +
      'Requested 385. Please try again in 1s. Visit https://platform.openai.com/account/rate-limits to learn more.',
    {
      type: 'tokens',
      code: 'rate_limit_exceeded',
      headers: { 'retry-after': '1', 'retry-after-ms': '1000', 'x-ratelimit-remaining-tokens': '63' },
    },
  ),
  500: new Refusal(500, 'The server had an error while processing your request. Sorry about that!', {
    type: 'server_error',
  }),
  503: new Refusal(503, 'The engine is currently overloaded, please try again later', {
    type: 'service_unavailable_error',
    code: 'server_overloaded',
  }),
  529: new Refusal(529, 'Overloaded', { type: 'overloaded_error' }),
};

export function refuseWith(status: keyof typeof refusals): Play {
  return (exchange) => refuse(exchange, refusals[status] as Refusal);
}

/** The proxies in front of a provider answer in HTML, not in the provider's shape. */
export function refuseAsProxy({ reply }: Exchange): void {
  const page =
    '<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body><center><h1>502 Bad Gateway</h1></center>' +
    '<hr><center>cloudflare</center></body>\r\n</html>\r\n';
  reply.send(502, { 'content-type': 'text/html' }, page);
}

export function refuseOnce(exchange: Exchange): void | Promise<void> {
  if (!exchange.firstTime(exchange.script.hash)) return playWell(exchange);
  refuse(exchange, refusals[500] as Refusal);
}

export function leakSecrets(exchange: Exchange): void {
  const message =
    `The key ${exchange.key ?? '(none)'} of organization ${ORGANISATION} may not call ` +
    'https://api.openai.com/v1/chat/completions (api.openai.com) in this way.';
  refuse(exchange, new Refusal(400, message, { code: 'key_not_allowed' }));
}

/** Status 200 and yet an error. */
export function refuseAs200({ endpoint, reply }: Exchange): void {
  reply.sendJson(200, endpoint.writeRefusal(refusals[500] as Refusal));
}

export function refuseMidStream(exchange: Exchange): void | Promise<void> {
  if (!exchange.script.stream) return playWell(exchange);
  const frames = framesOf(exchange);
  const error = exchange.endpoint.refusalFrame(refusals[500] as Refusal);
  return playFrames(exchange, [...frames.slice(0, middleOf(frames)), { kind: 'content', text: error }]);
}

function refuse({ endpoint, reply }: Exchange, refusal: Refusal): void {
  reply.sendJson(refusal.status, endpoint.writeRefusal(refusal), refusal.headers);
}
