/** Defines HTTP routes: an endpoint of the contract and its handler. */

import type { SignedIn } from '../access/open-session.ts';
import type { Principal } from '../access/principal.ts';
import type { Sessions } from '../access/sessions.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import type { EndpointName } from '../contract/endpoints.ts';
import type { EdgeRequest } from '../edge/edge-request.ts';
import type { ByteLease } from '../memory/byte-budget.ts';
import type { Exchange } from './exchange.ts';

export interface HttpRoute {
  readonly name: EndpointName;
  readonly endpoint: Endpoint;
  /** Throws a Problem to fail; the server sends it. */
  handle(exchange: Exchange, principal: Principal | null): void | Promise<void>;
}

/** A route that requires a key: its handler always gets a principal. */
export function keyedRoute(
  name: EndpointName,
  endpoint: Endpoint,
  handle: (exchange: Exchange, principal: Principal) => void | Promise<void>,
): HttpRoute {
  return {
    name,
    endpoint,
    handle(exchange, principal) {
      if (principal === null) throw new Error(`${name} was reached without a principal`);
      return handle(exchange, principal);
    },
  };
}

/** Whether the client speaks the messages format: its libraries send this header with every request. */
export function readsMessagesShape({ headers }: Pick<EdgeRequest, 'headers'>): boolean {
  return headers['anthropic-version'] !== undefined;
}

/** For routes that require a key. */
export function leaseOf({ lease }: Exchange): ByteLease {
  if (lease === null) throw new Error('a keyed route without a lease');
  return lease;
}

export function openRoute(
  name: EndpointName,
  endpoint: Endpoint,
  handle: (exchange: Exchange) => void | Promise<void>,
): HttpRoute {
  return { name, endpoint, handle };
}

/** A route that requires a session: its handler gets the person who is signed in. */
export function sessionRoute(
  name: EndpointName,
  endpoint: Endpoint,
  sessions: Sessions,
  handle: (exchange: Exchange, session: SignedIn) => void | Promise<void>,
): HttpRoute {
  return {
    name,
    endpoint,
    async handle(exchange) {
      await handle(exchange, await sessions.authenticate(exchange.request));
    },
  };
}
