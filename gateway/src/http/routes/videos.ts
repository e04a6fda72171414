/** Creates, lists, shows and cancels video jobs. */
import { Shape } from '../../contract/check-shape.ts';
import { endpoints } from '../../contract/endpoints.ts';
import { VideoRequest } from '../../contract/video.ts';
import { cancelVideo } from '../../video/cancel-video.ts';
import { type CreateTools, createVideo } from '../../video/create-video.ts';
import { getJob } from '../../video/find-job.ts';
import { jobObject } from '../../video/job-object.ts';
import { listOwnJobs } from '../../video/list-jobs.ts';
import { type HttpRoute, keyedRoute } from '../define-route.ts';
import { type BodyLimits, readWholeJson } from '../read-body.ts';
import { readIdempotencyKey } from '../read-idempotency-key.ts';
import { readPageQuery } from '../read-page.ts';
import { readTagsHeader } from '../read-tags.ts';

const shape = new Shape(VideoRequest);

export function videoRoutes(tools: CreateTools, options: { body: BodyLimits }): HttpRoute[] {
  return [
    keyedRoute('createVideo', endpoints.createVideo, async (exchange, principal) => {
      const key = readIdempotencyKey(exchange.request);
      const tags = readTagsHeader(exchange.request);
      const value = await readWholeJson(exchange, options.body);
      const request = shape.check(value);
      exchange.model = request.model;
      const made = await createVideo({ principal, request, key, tags }, tools);
      const headers = tools.rates.headers(principal)?.() ?? {};
      exchange.sendJson(200, JSON.stringify(jobObject(made)), headers);
    }),
    keyedRoute('listJobs', endpoints.listJobs, async (exchange, principal) => {
      const page = readPageQuery(exchange.request.url ?? '');
      exchange.sendJson(200, JSON.stringify(await listOwnJobs({ principal, page }, tools)));
    }),
    keyedRoute('getJob', endpoints.getJob, async (exchange, principal) => {
      const found = await getJob({ principal, id: exchange.params.id ?? '' }, tools);
      exchange.sendJson(200, JSON.stringify(jobObject(found)));
    }),
    keyedRoute('cancelJob', endpoints.cancelJob, async (exchange, principal) => {
      const cancelled = await cancelVideo({ principal, id: exchange.params.id ?? '' }, tools);
      exchange.sendJson(200, JSON.stringify(jobObject(cancelled)));
    }),
  ];
}
