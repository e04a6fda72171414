import { runImage } from '../../calls/run-image.ts';
import type { RunTextTools } from '../../calls/text-request.ts';
import { Shape } from '../../contract/check-shape.ts';
import { endpoints } from '../../contract/endpoints.ts';
import { ImageEditRequest, ImageGenerationRequest } from '../../contract/images.ts';
import type { ImageGeneration, RequestedEdit } from '../../images/image-call.ts';
import { expandInline } from '../../kernel/json/inline-pieces.ts';
import { keyedRoute, leaseOf, type Route } from '../define-route.ts';
import type { Exchange } from '../exchange.ts';
import { type BodyLimits, readJsonBody, readWholeJson, unreadType } from '../read-body.ts';
import { readEditForm, readEditJson } from '../read-image-edit.ts';
import { isMultipart, readMultipartBody } from '../read-multipart.ts';
import type { StreamPulse } from '../stream-pulse.ts';
import { HttpTextReply } from '../text-reply.ts';

const generationShape = new Shape(ImageGenerationRequest);
const editShape = new Shape(ImageEditRequest);

export interface ImageRouteOptions {
  readonly body: BodyLimits;
  readonly multipartBytesMax: number;
  readonly pulse: StreamPulse;
}

export function imageRoutes(tools: RunTextTools, options: ImageRouteOptions): Route[] {
  const { pulse } = options;
  const { createImage, editImage } = endpoints;
  const answer = (
    read: (exchange: Exchange) => Promise<ImageGeneration | RequestedEdit>,
  ): Parameters<typeof keyedRoute>[2] => {
    return async (exchange, principal) => {
      const image = await read(exchange);
      const { id, startedAt, startedMs } = exchange;
      const lease = leaseOf(exchange);
      const reply = new HttpTextReply(exchange, { streams: false, pulse, clock: tools.clock });
      await runImage({ id, principal, lease, image, reply, startedAt, startedMs }, tools);
    };
  };
  return [
    keyedRoute(
      'createImage',
      createImage,
      answer((exchange) => readGeneration(exchange, options)),
    ),
    keyedRoute(
      'editImage',
      editImage,
      answer((exchange) => readEdit(exchange, options)),
    ),
  ];
}

async function readGeneration(exchange: Exchange, options: ImageRouteOptions): Promise<ImageGeneration> {
  const body = await readJsonBody(exchange, options.body);
  const { value, inline } = body;
  const whole = inline === undefined ? value : expandInline(value, inline, 'all');
  return { kind: 'generate', fields: generationShape.check(whole), body };
}

async function readEdit(exchange: Exchange, options: ImageRouteOptions): Promise<RequestedEdit> {
  const { 'content-type': type = '' } = exchange.request.headers;
  if (isMultipart(type)) {
    const limits = { bytesMax: options.multipartBytesMax, arrivals: options.body.arrivals };
    return readEditForm(await readMultipartBody(exchange, limits));
  }
  if (!/^application\/json\b/i.test(type)) throw unreadType(type, 'application/json or multipart/form-data');
  return readEditJson(editShape.check(await readWholeJson(exchange, options.body)));
}
