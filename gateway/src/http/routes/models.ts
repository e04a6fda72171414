import type { Catalog } from '../../catalog/catalog.ts';
import { endpoints } from '../../contract/endpoints.ts';
import { type HttpRoute, keyedRoute } from '../define-route.ts';

/** Open in every state of the space: a list costs nothing and tells what could be bought. */
export function modelsRoute(catalog: () => Catalog): HttpRoute {
  return keyedRoute('listModels', endpoints.listModels, (exchange, principal) => {
    exchange.sendJson(200, catalog().listJson(principal));
  });
}
