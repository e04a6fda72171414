/** Generates and edits images. An edit is a form or JSON. */
import type { CallTools } from '../../calls/call-tools.ts';
import { runImage } from '../../calls/run-image.ts';
import { Shape } from '../../contract/check-shape.ts';
import { endpoints } from '../../contract/endpoints.ts';
import { ImageEditRequest, ImageGenerationRequest } from '../../contract/images.ts';
import type { ImageGeneration, RequestedEdit } from '../../images/image-call.ts';
import { expandInline } from '../../kernel/json/placeholders.ts';
import { type HttpRoute, keyedRoute, leaseOf } from '../define-route.ts';
import type { Exchange } from '../exchange.ts';
import { HttpCallReply } from '../http-call-reply.ts';
import type { KeepAliveTimer } from '../keep-alive-timer.ts';
import { type BodyLimits, readJsonBody, readWholeJson, unsupportedType } from '../read-body.ts';
import { readEditForm, readEditJson } from '../read-image-edit.ts';
import { isMultipart, readMultipartBody } from '../read-multipart.ts';

const generationShape = new Shape(ImageGenerationRequest);
const editShape = new Shape(ImageEditRequest);

export interface ImageRouteOptions {
  readonly body: BodyLimits;
  readonly multipartBytesMax: number;
  readonly keepAlive: KeepAliveTimer;
}

export function imageRoutes(tools: CallTools, options: ImageRouteOptions): HttpRoute[] {
  const { keepAlive } = options;
  const { createImage, editImage } = endpoints;
  const answer = (
    read: (exchange: Exchange) => Promise<ImageGeneration | RequestedEdit>,
  ): Parameters<typeof keyedRoute>[2] => {
    return async (exchange, principal) => {
      const image = await read(exchange);
      exchange.model = image.fields.model;
      const { id, startedAt, startedMs, trace } = exchange;
      const lease = leaseOf(exchange);
      const reply = new HttpCallReply(exchange, { streams: false, keepAlive, clock: tools.clock });
      await runImage({ id, principal, lease, image, reply, startedAt, startedMs, trace }, tools);
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
  if (!/^application\/json\b/i.test(type))
    throw unsupportedType(type, 'application/json or multipart/form-data');
  return readEditJson(editShape.check(await readWholeJson(exchange, options.body)));
}
