/**
 * Shows the models that a key may use, in the shape that the client reads. Allowed in every state of the space, because
 * it costs nothing.
 */
import type { Principal } from '../../access/principal.ts';
import { aliasObject, type Catalog, modelObject } from '../../catalog/catalog.ts';
import { messagesModel, messagesModelPage } from '../../catalog/messages-models.ts';
import type { Model } from '../../catalog/model.ts';
import { endpoints } from '../../contract/endpoints.ts';
import { type ModelPageRequest, modelPageLimits } from '../../contract/messages-models.ts';
import type { ModelObject } from '../../contract/models.ts';
import { Problem } from '../../kernel/problem.ts';
import type { Clock, Instant } from '../../kernel/time.ts';
import { type HttpRoute, keyedRoute, readsMessagesShape } from '../define-route.ts';
import { QueryReader } from '../query-reader.ts';

export function modelRoutes(catalog: () => Catalog, clock: Pick<Clock, 'now'>): HttpRoute[] {
  return [
    keyedRoute('listModels', endpoints.listModels, (exchange, principal) => {
      const { request } = exchange;
      const now = clock.now();
      if (!readsMessagesShape(request)) {
        exchange.sendJson(200, catalog().listJson(principal, now));
        return;
      }
      const named = catalog()
        .listAliases(principal)
        .map(({ name, model }) => ({ ...model, code: name, aliasOf: model.code }));
      const models = [...catalog().list(principal), ...named];
      const page = messagesModelPage(models, readModelPage(request.url), (model) =>
        messagesModel(model, principal, now),
      );
      exchange.sendJson(200, JSON.stringify(page));
    }),
    keyedRoute('getModel', endpoints.getModel, (exchange, principal) => {
      const code = exchange.params.id ?? '';
      const now = clock.now();
      const messages = readsMessagesShape(exchange.request);
      const model = messages
        ? catalog().find(code, { user: principal, endpoint: 'messages' })
        : catalog().get(code, principal);
      const named = model.code === code ? model : { ...model, code, aliasOf: model.code };
      const object = messages
        ? messagesModel(named, principal, now)
        : shownModel(model, code, principal, now);
      exchange.sendJson(200, JSON.stringify(object));
    }),
  ];
}

/** `code`: the name that was asked for, which may be an alias. */
function shownModel(model: Model, code: string, principal: Principal, now: Instant): ModelObject {
  return model.code === code
    ? modelObject(model, principal, now)
    : aliasObject({ name: code, model }, principal, now);
}

/** Clients of beta endpoints send `?beta=true`. */
function readModelPage(url: string): ModelPageRequest {
  const query = new QueryReader(url, ['limit', 'after_id', 'before_id', 'beta']);
  const { max, default: limit } = modelPageLimits;
  const page = {
    limit: query.integer('limit', { min: 1, max }) ?? limit,
    afterId: query.text('after_id'),
    beforeId: query.text('before_id'),
  };
  query.checkFields();
  if (page.afterId === null || page.beforeId === null) return page;
  throw new Problem('invalid_parameter', {
    detail: 'after_id and before_id cannot be combined. Send one of them.',
    param: 'before_id',
  });
}
