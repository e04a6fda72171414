/** Generates and edits images. An edit is a form or JSON. */
import type { Hash } from 'node:crypto';
import type { Principal } from '../../access/principal.ts';
import type { CallTools } from '../../calls/call-tools.ts';
import { runImage } from '../../calls/run-image.ts';
import { Shape } from '../../contract/check-shape.ts';
import { endpoints } from '../../contract/endpoints.ts';
import { ImageEditRequest, ImageGenerationRequest } from '../../contract/images.ts';
import type { ImageGeneration, RequestedEdit } from '../../images/image-call.ts';
import { expandInline } from '../../kernel/json/placeholders.ts';
import { answerRepeatable, readRepeatable, type WrapReply } from '../answer-once.ts';
import { type HttpRoute, keyedRoute, leaseOf } from '../define-route.ts';
import type { Exchange } from '../exchange.ts';
import { HttpCallReply } from '../http-call-reply.ts';
import type { KeepAliveTimer } from '../keep-alive-timer.ts';
import { type BodyLimits, readJsonBody, readWholeJson, unsupportedType } from '../read-body.ts';
import { readEditForm, readEditJson } from '../read-image-edit.ts';
import { isMultipart, readMultipartBody } from '../read-multipart.ts';
import type { FollowAnswerOptions } from '../send-followed.ts';

const generationShape = new Shape(ImageGenerationRequest);
const editShape = new Shape(ImageEditRequest);

export interface ImageRouteOptions {
  readonly body: BodyLimits;
  readonly multipartBytesMax: number;
  readonly keepAlive: KeepAliveTimer;
  readonly once: FollowAnswerOptions;
}

/** Reads and checks what was sent. */
type ReadImageCall = () => ImageGeneration | RequestedEdit;

export function imageRoutes(tools: CallTools, options: ImageRouteOptions): HttpRoute[] {
  const { createImage, editImage } = endpoints;
  const route = { tools, options };
  const answer = (
    operation: 'images.generate' | 'images.edit',
    receive: (exchange: Exchange, options: ImageRouteOptions, digest?: Hash) => Promise<ReadImageCall>,
  ): Parameters<typeof keyedRoute>[2] => {
    return async (exchange, principal) => {
      const repeatable = readRepeatable(exchange.request, operation);
      const read = await receive(exchange, options, repeatable?.digest);
      if (repeatable === null) await run(route, exchange, principal, read, null);
      else
        await answerRepeatable(
          { exchange, principal, repeatable },
          (wrap) => run(route, exchange, principal, read, wrap),
          options.once,
        );
    };
  };
  return [
    keyedRoute('createImage', createImage, answer('images.generate', receiveGeneration)),
    keyedRoute('editImage', editImage, answer('images.edit', receiveEdit)),
  ];
}

interface ImagesRoute {
  readonly tools: CallTools;
  readonly options: ImageRouteOptions;
}

async function run(
  { tools, options }: ImagesRoute,
  exchange: Exchange,
  principal: Principal,
  read: ReadImageCall,
  wrap: WrapReply | null,
): Promise<void> {
  const image = read();
  exchange.model = image.fields.model;
  const { id, startedAt, startedMs, trace } = exchange;
  const lease = leaseOf(exchange);
  const { keepAlive } = options;
  const http = new HttpCallReply(exchange, { streams: false, keepAlive, clock: tools.clock });
  const reply = wrap === null ? http : wrap(http);
  await runImage({ id, principal, lease, image, reply, startedAt, startedMs, trace }, tools);
}

async function receiveGeneration(
  exchange: Exchange,
  options: ImageRouteOptions,
  digest?: Hash,
): Promise<ReadImageCall> {
  const body = await readJsonBody(exchange, options.body, digest);
  const { value, inline } = body;
  return () => {
    const whole = inline === undefined ? value : expandInline(value, inline, 'all');
    return { kind: 'generate', fields: generationShape.check(whole), body };
  };
}

async function receiveEdit(
  exchange: Exchange,
  options: ImageRouteOptions,
  digest?: Hash,
): Promise<ReadImageCall> {
  const { 'content-type': type = '' } = exchange.request.headers;
  if (isMultipart(type)) {
    const limits = { bytesMax: options.multipartBytesMax, arrivals: options.body.arrivals };
    const parts = await readMultipartBody(exchange, limits);
    // Clients choose a new boundary for each attempt, so the parts are compared and not the body.
    for (const { name, bytes } of parts) {
      digest?.update(`${JSON.stringify(name)} ${bytes.length}\n`);
      digest?.update(bytes);
    }
    return () => readEditForm(parts);
  }
  if (!/^application\/json\b/i.test(type))
    throw unsupportedType(type, 'application/json or multipart/form-data');
  const whole = await readWholeJson(exchange, options.body, digest);
  return () => readEditJson(editShape.check(whole));
}
