/**
 * How lines of each endpoint are run, checked and written for a provider's batch, and how their answers are read. The
 * rules are those of single calls.
 */

import type { Principal } from '../access/principal.ts';
import type { AttributedRequest } from '../calls/attribute-call.ts';
import type { CallRequest } from '../calls/begin-call.ts';
import type { CallSize } from '../calls/believable-usage.ts';
import type { CallTools } from '../calls/call-tools.ts';
import { inCallerNames } from '../calls/caller-names.ts';
import { unpricedOn } from '../calls/check-asked-prices.ts';
import { dialectFor, relays, textWriter } from '../calls/prepare-text.ts';
import { findCallReferences } from '../calls/references/find-references.ts';
import type { CallReferences, PlacedReferences } from '../calls/references/place-references.ts';
import {
  checkEmbedding,
  embeddingContext,
  embeddingsOf,
  readEmbedding,
  runEmbedding,
  writeEmbedding,
} from '../calls/run-embedding.ts';
import { checkText, readText, runText } from '../calls/run-text.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { Model, UpstreamRoute } from '../catalog/model.ts';
import { checkChatRequest } from '../contract/check-chat.ts';
import { checkEmbeddingsRequest, checkLongEmbeddingsRequest } from '../contract/check-embeddings.ts';
import { checkResponsesRequest } from '../contract/check-responses.ts';
import { findKeptReference } from '../contract/kept-reference.ts';
import type { BatchUrl } from '../contract/paid-endpoints.ts';
import type { ResponsesRequest } from '../contract/responses.ts';
import { readEmbeddingCall } from '../embeddings/embedding-call.ts';
import type { JsonObject } from '../json/parse-json.ts';
import { parseObject } from '../json/read-json.ts';
import { Problem } from '../kernel/problem.ts';
import { Body } from '../net/collect-body.ts';
import type { BatchDialect } from '../providers/batch-provider.ts';
import type { Provider } from '../providers/provider.ts';
import { chatFormat } from '../text/formats/chat/chat.ts';
import { responsesFormat } from '../text/formats/responses/responses.ts';
import { isReference } from '../text/read-media.ts';
import type { ShownBody, TextFormat, TextFormatName, WholeAnswer } from '../text/text-format.ts';
import type { ReadLine } from './read-line.ts';

/** The route that the lines take. */
export interface LineTarget {
  readonly model: Model;
  readonly route: UpstreamRoute;
  readonly provider: Provider;
}

export interface AnsweredLine {
  readonly requestId: string;
  readonly createdSeconds: number;
  readonly answer: Buffer;
}

export type LineKindTools = Pick<
  CallTools,
  'limits' | 'tokens' | 'media' | 'providers' | 'clock' | 'attributions'
> & {
  readonly catalog: () => Pick<Catalog, 'find'>;
};

/** A line as a call of its own. */
export interface LineRequest extends CallRequest {
  readonly body: JsonObject;
}

export interface LineKind {
  /** Runs a line in our workers. */
  run(line: LineRequest, tools: CallTools): Promise<void>;
  /** The dialect for the bodies of the lines; null if the provider has none for them. */
  dialect(provider: Provider): BatchDialect | null;
  /** Throws a Problem for a line that every provider would reject. */
  check(line: ReadLine, principal: Principal, tools: LineKindTools): Promise<void>;
  /** The body for the provider. Throws a Problem if the dialect cannot express the line. */
  write(line: ReadLine, target: LineTarget, whose: Principal, tools: LineKindTools): Promise<Buffer>;
  /** What limits the usage of a line. */
  size(line: ReadLine): CallSize;
  /** What tells what a line is attributed to. */
  attributed(line: ReadLine): AttributedRequest;
  /** What the provider said about a line, with the caller's names of fields. */
  explain(problem: Problem, provider: Provider): Problem;
  /** Null when there is no usable answer; a Problem when the answer reports a failure. */
  read(line: ReadLine, target: LineTarget, answered: AnsweredLine): WholeAnswer<ShownBody> | Problem | null;
}

const embeddingLines: LineKind = {
  run: async (line, tools) =>
    await runEmbedding({ ...line, request: await checkLongEmbeddingsRequest(line.body.value) }, tools),
  dialect: ({ relays }) => (relays === undefined ? null : 'embeddings'),
  async check({ body }, principal, tools) {
    const { counting } = checkEmbedding({ request: checkEmbeddingsRequest(body.value), principal }, tools);
    if (counting !== null) await counting;
  },
  async write({ body }, { model, route, provider }) {
    const request = checkEmbeddingsRequest(body.value);
    const call = readEmbeddingCall(request);
    const written = writeEmbedding({ body, request, model, call }, route, provider);
    if (written instanceof Problem) throw written;
    return written.body;
  },
  size: ({ body }) => ({ bytes: body.bytes.length, addresses: 0, answers: 1, outputTokensMax: 0 }),
  attributed: ({ body }) => ({ request: body.value }),
  explain: (problem) => problem,
  read({ body }, { model, provider }, { answer }) {
    const api = embeddingsOf(provider);
    if (api === null) return null;
    const context = embeddingContext(model, readEmbeddingCall(checkEmbeddingsRequest(body.value)));
    return readEmbedding(api, new Body([answer]), context);
  },
};

export const lineKinds: Readonly<Record<BatchUrl, LineKind>> = {
  '/v1/chat/completions': textLines(chatFormat, checkChatRequest),
  '/v1/responses': textLines(responsesFormat, checkResponsesLine),
  '/v1/embeddings': embeddingLines,
};

function textLines<Request extends { readonly model: string }>(
  format: TextFormat<Request>,
  requestOf: (value: unknown) => Request,
): LineKind {
  return {
    async run(line, tools) {
      const request = requestOf(line.body.value);
      await runText({ ...line, format, request, beta: null, keep: null, asWritten: true }, tools);
    },
    dialect: (provider) => dialectFor(provider, format.name).format,
    async check({ body }, principal, tools) {
      const request = requestOf(body.value);
      const { counting, addresses } = checkText({ format, body, principal, request, asWritten: true }, tools);
      if (counting !== null) await counting;
      const fetched = addresses.filter(({ url }) => !isReference(url));
      if (fetched.length > 0) await findCallReferences(fetched, principal.spaceId, tools.media);
    },
    async write({ body }, { model, route, provider }, principal, tools) {
      const request = requestOf(body.value);
      const priced = { format, request, principal, model, bytes: body.bytes.length };
      const of = { ...priced, at: tools.clock.now(), batch: true };
      const refused = unpricedOn(of)?.(dialectFor(provider, format.name)) ?? null;
      if (refused !== null) throw refused;
      const { images } = format.features(request);
      const writer = textWriter({
        format,
        body,
        request,
        images,
        facts: { model },
        asWritten: true,
        toolMedia: false,
        outputCap: null,
      });
      const addresses = format.addresses(request).filter(({ url }) => isReference(url));
      const placed =
        addresses.length === 0
          ? undefined
          : await placeForBatch(
              await findCallReferences(addresses, principal.spaceId, tools.media),
              provider,
              format,
            );
      // All lines of a batch are written in one dialect.
      const written = writer.write(route, dialectFor(provider, format.name), placed);
      if (written instanceof Problem) throw written;
      return Buffer.isBuffer(written) ? written : Buffer.concat(written);
    },
    size({ body }) {
      const request = requestOf(body.value);
      const { answers, outputTokensMax } = format.features(request);
      const addresses = format.addresses(request).length;
      return { bytes: body.bytes.length, addresses, answers, outputTokensMax };
    },
    attributed: ({ body }) => ({ request: body.value, format }),
    explain(problem, provider) {
      const text = dialectFor(provider, format.name);
      return relays(text, { format }) ? problem : inCallerNames(problem, text, format.fieldNames);
    },
    read({ body }, { model, provider }, { requestId, createdSeconds, answer }) {
      const request = requestOf(body.value);
      const { answers, mayCallTools } = format.features(request);
      const context = { request, callId: requestId, model: model.code, createdSeconds, answers };
      const text = dialectFor(provider, format.name);
      return (
        readText({ format, context, reading: { callId: requestId, mayCallTools } }, text, answer) ??
        failureIn(answer)
      );
    },
  };
}

/** Media are inlined: a file at the provider might expire before the line runs. */
async function placeForBatch(
  media: CallReferences,
  provider: Provider,
  format: { name: TextFormatName },
): Promise<PlacedReferences> {
  const text = dialectFor(provider, format.name);
  const inBody = { ...text, media: { ...text.media, names: [], fetches: false } };
  return await media.place(provider, inBody, { lease: null, signal: new AbortController().signal });
}

/** A response with status 200 may report a failure in its body. */
function failureIn(answer: Buffer): Problem | null {
  return parseObject(answer.toString('utf8'))?.status === 'failed' ? new Problem('upstream_error') : null;
}

/** Also of files that were uploaded before such lines were rejected. */
function checkResponsesLine(value: unknown): ResponsesRequest {
  const request = checkResponsesRequest(value);
  if (request.background === true) {
    throw new Problem('invalid_parameter', {
      detail: 'background is not allowed in a batch, which runs in the background itself. Remove it.',
      param: 'background',
    });
  }
  const param = findKeptReference(request);
  if (param === null) return request;
  throw new Problem('invalid_parameter', {
    detail: `${param} refers to a kept response, which a batch does not read. Send the whole conversation.`,
    param,
  });
}
