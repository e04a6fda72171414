/** Shows kept responses and their input, cancels and deletes them. */
import { endpoints } from '../../contract/endpoints.ts';
import { type IdPageRequest, type PageOrder, pageOrders } from '../../contract/pages.ts';
import {
  cancelKeptResponse,
  deleteKeptResponse,
  findKeptState,
  getKeptResponse,
  listInputItems,
  type StoredResponseTools,
} from '../../responses/open-response.ts';
import { type HttpRoute, keyedRoute, leaseOf } from '../define-route.ts';
import type { Exchange } from '../exchange.ts';
import { QueryReader } from '../query-reader.ts';
import { readPage } from '../read-page.ts';
import type { FollowAnswerOptions } from '../send-followed.ts';
import { streamResponse } from '../stream-response.ts';

/** Clients send a list as `include[]`. Items are always complete, so there is nothing to include. */
const INCLUDE = ['include', 'include[]'];

export function keptResponseRoutes(tools: StoredResponseTools, follow: FollowAnswerOptions): HttpRoute[] {
  return [
    keyedRoute('getResponse', endpoints.getResponse, async (exchange, principal) => {
      const { stream, startingAfter } = readView(exchange.request.url ?? '');
      const { id } = responseOf(exchange);
      if (stream) {
        const isStored = async (): Promise<boolean> =>
          (await findKeptState({ principal, id }, tools)) !== undefined;
        return await streamResponse(exchange, { principal, id, startingAfter, isStored }, follow);
      }
      const response = await getKeptResponse({ principal, ...responseOf(exchange) }, tools);
      exchange.sendJson(200, JSON.stringify(response));
    }),
    keyedRoute('cancelResponse', endpoints.cancelResponse, async (exchange, principal) => {
      const response = await cancelKeptResponse({ principal, ...responseOf(exchange) }, tools);
      exchange.sendJson(200, JSON.stringify(response));
    }),
    keyedRoute('deleteResponse', endpoints.deleteResponse, async (exchange, principal) => {
      const deleted = await deleteKeptResponse({ principal, ...responseOf(exchange) }, tools);
      exchange.sendJson(200, JSON.stringify(deleted));
    }),
    keyedRoute('listInputItems', endpoints.listInputItems, async (exchange, principal) => {
      const page = readItemPage(exchange.request.url ?? '');
      const items = await listInputItems({ principal, page, ...responseOf(exchange) }, tools);
      exchange.sendJson(200, JSON.stringify(items));
    }),
  ];
}

/** The response that the request names. */
export function responseOf(exchange: Exchange): { id: string; room(bytes: number): Promise<void> } {
  return {
    id: exchange.params.id ?? '',
    room: async (bytes) => {
      await leaseOf(exchange).take(bytes);
    },
  };
}

function readView(url: string): { stream: boolean; startingAfter: number | null } {
  const query = new QueryReader(url, ['stream', 'starting_after', ...INCLUDE]);
  const stream = query.flag('stream') === true;
  const startingAfter = query.integer('starting_after', { min: 0, max: Number.MAX_SAFE_INTEGER });
  if (startingAfter !== null && !stream)
    query.wrong('starting_after', 'needs stream=true, because it is the number of an event', 'value_error');
  query.checkFields();
  return { stream, startingAfter };
}

function readItemPage(url: string): IdPageRequest & { order: PageOrder } {
  const query = new QueryReader(url, ['after', 'limit', 'order', ...INCLUDE]);
  const page = { ...readPage(query), order: query.oneOf('order', pageOrders) ?? 'desc' };
  query.checkFields();
  return page;
}
