/** Shows the models that a key may use. Allowed in every state of the space, because it costs nothing. */
import { type Catalog, modelObject } from '../../catalog/catalog.ts';
import { endpoints } from '../../contract/endpoints.ts';
import type { Clock } from '../../kernel/time.ts';
import { type HttpRoute, keyedRoute } from '../define-route.ts';

export function modelRoutes(catalog: () => Catalog, clock: Pick<Clock, 'now'>): HttpRoute[] {
  return [
    keyedRoute('listModels', endpoints.listModels, (exchange, principal) => {
      exchange.sendJson(200, catalog().listJson(principal, clock.now()));
    }),
    keyedRoute('getModel', endpoints.getModel, (exchange, principal) => {
      const model = catalog().get(exchange.params.id ?? '', principal);
      exchange.sendJson(200, JSON.stringify(modelObject(model, principal, clock.now())));
    }),
  ];
}
