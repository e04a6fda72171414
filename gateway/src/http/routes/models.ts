/** Lists the models that a key may use. */
import type { Catalog } from '../../catalog/catalog.ts';
import { endpoints } from '../../contract/endpoints.ts';
import { type HttpRoute, keyedRoute } from '../define-route.ts';

/** Allowed in every state of the space, because it costs nothing. */
export function modelsRoute(catalog: () => Catalog): HttpRoute {
  return keyedRoute('listModels', endpoints.listModels, (exchange, principal) => {
    exchange.sendJson(200, catalog().listJson(principal));
  });
}
