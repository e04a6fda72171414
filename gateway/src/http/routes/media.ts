/** Creates links to media, and serves signed links without a key. */
import { Shape } from '../../contract/check-shape.ts';
import { endpoints } from '../../contract/endpoints.ts';
import { MediaLinkRequest } from '../../contract/media.ts';
import { Problem } from '../../kernel/problem.ts';
import { createMediaLink, inlineDisposition, type LinkTools } from '../../media/media-link.ts';
import { findLinkedFile, openLinkedFile, type ServedFile } from '../../media/open-link.ts';
import type { SignedLink } from '../../media/sign-link.ts';
import type { OpenDownloads } from '../../memory/open-downloads.ts';
import { clientAddress, listeningOrigin, type ProxyTrust } from '../client-address.ts';
import { type HttpRoute, keyedRoute, openRoute } from '../define-route.ts';
import type { Exchange } from '../exchange.ts';
import { type BodyLimits, readOptionalJsonBody } from '../read-body.ts';
import { answerRange } from '../read-range.ts';
import { sendStream } from '../send-stream.ts';

const shape = new Shape(MediaLinkRequest);
/** Exactly the form that we sign; an edited URL does not match. */
const QUERY = /\?expires=([1-9]\d{0,11})&signature=([\w-]{43})$/;

export interface MediaRouteOptions extends ProxyTrust {
  readonly body: BodyLimits;
  readonly openDownloads: OpenDownloads;
}

export function mediaRoutes(tools: LinkTools, options: MediaRouteOptions): HttpRoute[] {
  return [
    keyedRoute('createMediaLink', endpoints.createMediaLink, async (exchange, principal) => {
      const { request, params } = exchange;
      const body = await readOptionalJsonBody(exchange, options.body);
      const { expires_in_seconds: seconds = null } = body === null ? {} : shape.check(body.value);
      const origin = listeningOrigin(request.socket);
      const link = await createMediaLink({ principal, id: params.media_id ?? '', seconds, origin }, tools);
      exchange.sendJson(200, JSON.stringify(link));
    }),
    openRoute('getMedia', endpoints.getMedia, async (exchange) => {
      const file = await findLinkedFile(readLink(exchange), tools);
      const { headers, socket } = exchange.request;
      const address = clientAddress({ headers, remoteAddress: socket.remoteAddress }, options);
      const enter = (): (() => void) =>
        options.openDownloads.ofLink({ fileId: file.id, spaceId: file.spaceId, address });
      await sendLinked(exchange, { file, enter }, tools);
    }),
  ];
}

function readLink({ request, params }: Exchange): SignedLink | null {
  const [, expires, signature] = QUERY.exec(request.url ?? '') ?? [];
  if (expires === undefined || signature === undefined) return null;
  return { id: params.id ?? '', expires, signature };
}

async function sendLinked(
  exchange: Exchange,
  { file, enter }: { file: ServedFile; enter: () => () => void },
  tools: LinkTools,
): Promise<void> {
  const etag = `"${file.sha256}"`;
  const answer = answerRange(exchange.request, { bytes: file.bytes, etag });
  const headers = { etag, 'accept-ranges': 'bytes', 'cache-control': 'private' };
  if (answer.kind === 'beyond') {
    throw new Problem('range_not_satisfiable', {
      detail: `The range begins after the end of the file, which has ${file.bytes} bytes. Ask for an earlier range.`,
      headers: { ...headers, 'content-range': `bytes */${file.bytes}` },
    });
  }
  if (answer.kind === 'unchanged') {
    exchange.sendUnchanged(headers);
    return;
  }
  const range = answer.kind === 'part' ? answer : null;
  await sendStream(exchange, {
    status: range === null ? 200 : 206,
    contentType: file.mimeType,
    bytes: range === null ? file.bytes : range.end - range.start + 1,
    headers: {
      ...headers,
      ...(range !== null && { 'content-range': `bytes ${range.start}-${range.end}/${file.bytes}` }),
      'content-disposition': inlineDisposition(file),
      // An uploaded file must never run as a page of this site, whatever its bytes are.
      'x-content-type-options': 'nosniff',
      'content-security-policy': 'sandbox',
    },
    enter,
    open: () => openLinkedFile(file, range, tools),
  });
}
