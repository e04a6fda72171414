/** Creates, lists, shows and cancels batches. */
import { batchObject } from '../../batches/batch-object.ts';
import { cancelBatch } from '../../batches/cancel-batch.ts';
import { getBatch } from '../../batches/find-batch.ts';
import { listOwnBatches } from '../../batches/list-batches.ts';
import { type SubmitTools, submitBatch } from '../../batches/submit-batch.ts';
import { BatchRequest } from '../../contract/batches.ts';
import { Shape } from '../../contract/check-shape.ts';
import { endpoints } from '../../contract/endpoints.ts';
import { type HttpRoute, keyedRoute } from '../define-route.ts';
import { type BodyLimits, readJsonBody } from '../read-body.ts';
import { readIdempotencyKey } from '../read-idempotency-key.ts';
import { readPageQuery } from '../read-page.ts';
import { readTagsHeader } from '../read-tags.ts';

const shape = new Shape(BatchRequest);

export function batchRoutes(tools: SubmitTools, options: { body: BodyLimits }): HttpRoute[] {
  return [
    keyedRoute('createBatch', endpoints.createBatch, async (exchange, principal) => {
      const key = readIdempotencyKey(exchange.request);
      const tags = readTagsHeader(exchange.request);
      const body = await readJsonBody(exchange, options.body);
      const batch = await submitBatch({ principal, request: shape.check(body.value), key, tags }, tools);
      exchange.sendJson(200, JSON.stringify(batchObject(batch)));
    }),
    keyedRoute('listBatches', endpoints.listBatches, async (exchange, principal) => {
      const page = readPageQuery(exchange.request.url ?? '');
      exchange.sendJson(200, JSON.stringify(await listOwnBatches({ principal, page }, tools)));
    }),
    keyedRoute('getBatch', endpoints.getBatch, async (exchange, principal) => {
      const batch = await getBatch({ principal, id: exchange.params.id ?? '' }, tools);
      exchange.sendJson(200, JSON.stringify(batchObject(batch)));
    }),
    keyedRoute('cancelBatch', endpoints.cancelBatch, async (exchange, principal) => {
      const batch = await cancelBatch({ principal, id: exchange.params.id ?? '' }, tools);
      exchange.sendJson(200, JSON.stringify(batchObject(batch)));
    }),
  ];
}
