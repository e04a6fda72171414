import { Shape } from '../../contract/check-shape.ts';
import { endpoints } from '../../contract/endpoints.ts';
import { ImageEditRequest, ImageRequest } from '../../contract/images.ts';
import { runImage } from '../../gateway/run-image.ts';
import type { RunTextTools } from '../../gateway/text-request.ts';
import type { AskedEdit, ImageGeneration } from '../../text/images/image-call.ts';
import { keyedRoute, type Route } from '../define-route.ts';
import type { Exchange } from '../exchange.ts';
import { type BodyLimits, readJsonBody, unreadType } from '../read-body.ts';
import { readEditForm, readEditJson } from '../read-image-edit.ts';
import { isMultipart, readMultipartBody } from '../read-multipart.ts';
import type { StreamPulse } from '../stream-pulse.ts';
import { HttpTextReply } from '../text-reply.ts';

const generationShape = new Shape(ImageRequest);
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
    read: (exchange: Exchange) => Promise<ImageGeneration | AskedEdit>,
  ): Parameters<typeof keyedRoute>[2] => {
    return async (exchange, principal) => {
      const image = await read(exchange);
      const { id, startedAt, startedMs } = exchange;
      const reply = new HttpTextReply(exchange, { streams: false, pulse, clock: tools.clock });
      await runImage({ id, principal, image, reply, startedAt, startedMs }, tools);
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

async function readGeneration({ request }: Exchange, options: ImageRouteOptions): Promise<ImageGeneration> {
  const body = await readJsonBody(request, options.body);
  return { kind: 'generate', fields: generationShape.check(body.value), body };
}

async function readEdit({ request }: Exchange, options: ImageRouteOptions): Promise<AskedEdit> {
  const { 'content-type': type = '' } = request.headers;
  if (isMultipart(type)) return readEditForm(await readMultipartBody(request, options.multipartBytesMax));
  if (!/^application\/json\b/i.test(type)) throw unreadType(type, 'application/json or multipart/form-data');
  const body = await readJsonBody(request, options.body);
  return readEditJson(editShape.check(body.value));
}
