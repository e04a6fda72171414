/** The route of every paid endpoint. */
import { runEmbedding } from '../../calls/run-embedding.ts';
import { runImage } from '../../calls/run-image.ts';
import { checkLongEmbeddingsRequest } from '../../contract/check-embeddings.ts';
import { Shape } from '../../contract/check-shape.ts';
import { ImageGenerationRequest } from '../../contract/images.ts';
import type { PaidEndpointName } from '../../contract/paid-endpoints.ts';
import type { HttpRoute } from '../define-route.ts';
import { jsonRoute } from '../json-route.ts';
import { chatRoute } from './chat.ts';
import { editRoute, type ImageEditOptions } from './image-edits.ts';
import { messagesRoute } from './messages.ts';
import { type ResponsesRouteOptions, responsesRoute } from './responses.ts';

export type PaidRoutesOptions = ResponsesRouteOptions & ImageEditOptions;

const generationShape = new Shape(ImageGenerationRequest);

const routes: Readonly<Record<PaidEndpointName, (options: PaidRoutesOptions) => HttpRoute>> = {
  createChatCompletion: chatRoute,
  createResponse: responsesRoute,
  createMessage: messagesRoute,
  createEmbedding: jsonRoute('createEmbedding', {
    check: checkLongEmbeddingsRequest,
    run: (call, sent, tools) => runEmbedding({ ...call, ...sent }, tools),
  }),
  createImage: jsonRoute('createImage', {
    check: (value) => generationShape.check(value),
    run: (call, { request: fields, body }, tools) =>
      runImage({ ...call, image: { kind: 'generate', fields, body } }, tools),
  }),
  editImage: editRoute,
};

export function paidRoutes(options: PaidRoutesOptions): HttpRoute[] {
  return Object.values(routes).map((route) => route(options));
}
