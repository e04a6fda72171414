/** Edits images. The request is a form or JSON. */
import type { Hash } from 'node:crypto';
import { runImage } from '../../calls/run-image.ts';
import { Shape } from '../../contract/check-shape.ts';
import { ImageEditRequest } from '../../contract/images.ts';
import type { RequestedEdit } from '../../images/image-call.ts';
import type { HttpRoute } from '../define-route.ts';
import type { Exchange } from '../exchange.ts';
import type { JsonRouteOptions } from '../json-route.ts';
import { paidRoute } from '../paid-route.ts';
import { readWholeJson, unsupportedType } from '../read-body.ts';
import { readEditForm, readEditJson } from '../read-image-edit.ts';
import { isMultipart, readMultipartBody } from '../read-multipart.ts';

const editShape = new Shape(ImageEditRequest);

export interface ImageEditOptions extends JsonRouteOptions {
  readonly multipartBytesMax: number;
}

/** Reads and checks what was sent. */
type ReadEdit = () => RequestedEdit;

export function editRoute(options: ImageEditOptions): HttpRoute {
  return paidRoute<ReadEdit>(
    'editImage',
    {
      receive: (exchange, digest) => receiveEdit(exchange, options, digest),
      check(read) {
        const image = read();
        return {
          model: image.fields.model,
          streams: false,
          run: (call) => runImage({ ...call, image }, options.tools),
        };
      },
    },
    options,
  );
}

async function receiveEdit(exchange: Exchange, options: ImageEditOptions, digest?: Hash): Promise<ReadEdit> {
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
