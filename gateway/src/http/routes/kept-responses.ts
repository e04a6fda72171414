/** Shows kept responses and their input, and deletes them. */
import { endpoints } from '../../contract/endpoints.ts';
import { type IdPageRequest, type PageOrder, pageOrders } from '../../contract/pages.ts';
import {
  deleteKeptResponse,
  getKeptResponse,
  listInputItems,
  type StoredResponseTools,
} from '../../responses/open-response.ts';
import { type HttpRoute, keyedRoute, leaseOf } from '../define-route.ts';
import type { Exchange } from '../exchange.ts';
import { QueryReader } from '../query-reader.ts';
import { readPage } from '../read-page.ts';

/** Clients send a list as `include[]`. Items are always complete, so there is nothing to include. */
const INCLUDE = ['include', 'include[]'];

export function keptResponseRoutes(tools: StoredResponseTools): HttpRoute[] {
  return [
    keyedRoute('getResponse', endpoints.getResponse, async (exchange, principal) => {
      checkWhole(exchange.request.url ?? '');
      const response = await getKeptResponse({ principal, ...asked(exchange) }, tools);
      exchange.sendJson(200, JSON.stringify(response));
    }),
    keyedRoute('deleteResponse', endpoints.deleteResponse, async (exchange, principal) => {
      const deleted = await deleteKeptResponse({ principal, ...asked(exchange) }, tools);
      exchange.sendJson(200, JSON.stringify(deleted));
    }),
    keyedRoute('listInputItems', endpoints.listInputItems, async (exchange, principal) => {
      const page = readItemPage(exchange.request.url ?? '');
      const items = await listInputItems({ principal, page, ...asked(exchange) }, tools);
      exchange.sendJson(200, JSON.stringify(items));
    }),
  ];
}

function asked(exchange: Exchange): { id: string; room(bytes: number): Promise<void> } {
  return {
    id: exchange.params.id ?? '',
    room: async (bytes) => {
      await leaseOf(exchange).take(bytes);
    },
  };
}

function checkWhole(url: string): void {
  const query = new QueryReader(url, ['stream', ...INCLUDE]);
  if (query.flag('stream') === true)
    query.wrong('stream', 'must be false, because a kept response is answered in one piece', 'literal_error');
  query.checkFields();
}

function readItemPage(url: string): IdPageRequest & { order: PageOrder } {
  const query = new QueryReader(url, ['after', 'limit', 'order', ...INCLUDE]);
  const page = { ...readPage(query), order: query.oneOf('order', pageOrders) ?? 'desc' };
  query.checkFields();
  return page;
}
