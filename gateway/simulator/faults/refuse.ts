/** Faults in which the provider says no. */
import type { FaultStatus } from '../dialect.ts';
import { type Exchange, framesOf, middleOf, type Play, playFrames, playWell } from '../play.ts';
import { Refusal } from '../refusal.ts';

const ORGANISATION = 'org-9tZq4LwXk2VbN7mD';

export function refuseWith(status: FaultStatus): Play {
  return (exchange) => refuse(exchange, exchange.endpoint.dialect.failWith(status));
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
  refuse(exchange, exchange.endpoint.dialect.failWith(500));
}

export function leakSecrets(exchange: Exchange): void {
  const { host } = exchange.endpoint.dialect;
  const message =
    `The key ${exchange.key ?? '(none)'} of organization ${ORGANISATION} may not call ` +
    `https://${host}${exchange.path} (${host}) in this way.`;
  refuse(exchange, new Refusal(400, message, { code: 'key_not_allowed' }));
}

/** Status 200 and yet an error. */
export function refuseAs200({ endpoint, reply, requestId }: Exchange): void {
  const { dialect } = endpoint;
  reply.sendJson(200, dialect.writeRefusal(dialect.failWith(500), requestId));
}

export function refuseMidStream(exchange: Exchange): void | Promise<void> {
  if (!exchange.script.stream) return playWell(exchange);
  const frames = framesOf(exchange);
  const { dialect } = exchange.endpoint;
  const error = dialect.refusalFrame(dialect.failWith(dialect.midStreamStatus));
  return playFrames(exchange, [...frames.slice(0, middleOf(frames)), { kind: 'content', text: error }]);
}

function refuse({ endpoint, reply, requestId }: Exchange, refusal: Refusal): void {
  reply.sendJson(refusal.status, endpoint.dialect.writeRefusal(refusal, requestId), refusal.headers);
}
