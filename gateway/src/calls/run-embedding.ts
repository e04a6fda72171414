/** A call for embeddings from its checks to its settlement, top to bottom. */

import type { Catalog } from '../catalog/catalog.ts';
import { chargedPrice } from '../catalog/charged-price.ts';
import { checkEmbeddingCall } from '../catalog/check-embedding.ts';
import { checkInputPrice } from '../catalog/check-priced.ts';
import type { Model, UpstreamRoute } from '../catalog/model.ts';
import type { EmbeddingsRequest } from '../contract/embeddings.ts';
import {
  type EmbeddingCall,
  inputTexts,
  inputTokenIds,
  readEmbeddingCall,
  rejectUnsupported,
} from '../embeddings/embedding-call.ts';
import { type EmbeddingContext, type RelayedBody, relayEmbeddings } from '../embeddings/relay-answer.ts';
import { writeEmbeddings } from '../embeddings/write-answer.ts';
import type { JsonObject } from '../json/parse-json.ts';
import { Problem } from '../kernel/problem.ts';
import type { EmbeddingsProvider, Provider } from '../providers/provider.ts';
import type { ShownBody, WholeAnswer } from '../text/text-format.ts';
import type { CallRequest } from './begin-call.ts';
import type { CallSize } from './believable-usage.ts';
import type { CallTools } from './call-tools.ts';
import { inputsBound } from './check-bounded.ts';
import { checkEmbeddingTokens } from './check-embedding-tokens.ts';
import { countFor } from './count-for.ts';
import { notOffered, relayedBody } from './relay-call.ts';
import { runWholeCall } from './run-whole-call.ts';
import type { PreparedRequest } from './upstream-request.ts';

export interface EmbeddingCallRequest extends CallRequest {
  readonly body: JsonObject;
  readonly request: EmbeddingsRequest;
}

export async function runEmbedding(asked: EmbeddingCallRequest, tools: CallTools): Promise<void> {
  const { model, call, counting } = checkEmbedding(asked, tools);
  if (counting !== null) await counting;
  const context = embeddingContext(model, call);
  await runWholeCall<EmbeddingsProvider>(
    asked,
    {
      endpoint: 'embeddings',
      model,
      requested: asked.request.model,
      size: sizeOf(call),
      request: asked.request,
      bound: () => inputsBound(call.inputs.length),
      prepare: (route, provider) => prepareEmbedding({ ...asked, model, call }, route, provider),
      read: ({ api }, body) => readEmbedding(api, body, context),
      promptTexts: () => inputTexts(call),
      promptTokens: inputTokenIds(call),
    },
    tools,
  );
}

/** Answers are vectors, which have no tokens. */
function sizeOf(call: EmbeddingCall): CallSize {
  const texts = inputTexts(call).reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  return { bytes: texts + inputTokenIds(call), addresses: 0, answers: 1, outputTokensMax: 0 };
}

/** Throws a Problem for what the model cannot do. `counting` may throw one later; null if no tokens have to be counted. */
export function checkEmbedding(
  asked: Pick<EmbeddingCallRequest, 'request' | 'principal'> & Partial<Pick<EmbeddingCallRequest, 'reply'>>,
  tools: Pick<CallTools, 'tokens' | 'clock'> & { readonly catalog: () => Pick<Catalog, 'find'> },
): { model: Model; call: EmbeddingCall; counting: Promise<void> | null } {
  const { request, principal, reply } = asked;
  const model = tools.catalog().find(request.model, { user: principal, endpoint: 'embeddings' });
  const call = readEmbeddingCall(request);
  checkEmbeddingCall(model, call);
  if (!principal.unpricedAllowed) checkInputPrice(model, chargedPrice(model, principal, tools.clock.now()));
  const counts = countFor(principal, reply);
  return { model, call, counting: checkEmbeddingTokens(model, call, { tokens: tools.tokens, counts }) };
}

export function embeddingContext(model: Model, call: EmbeddingCall): EmbeddingContext {
  return { model: model.code, encoding: call.encoding, inputs: call.inputs.length };
}

/** Null if the body is not a valid answer to this call. */
export function readEmbedding(
  api: EmbeddingsProvider,
  body: RelayedBody,
  context: EmbeddingContext,
): WholeAnswer<ShownBody> | null {
  if (api.translation === undefined) return relayEmbeddings(body, context);
  const result = api.translation.readAnswer(body.whole());
  return result?.vectors.length === context.inputs ? writeEmbeddings(result, context) : null;
}

type EmbeddingToWrite = Pick<EmbeddingCallRequest, 'body' | 'request'> & {
  model: Model;
  call: EmbeddingCall;
};

function prepareEmbedding(
  asked: EmbeddingToWrite,
  route: UpstreamRoute,
  provider: Provider,
): PreparedRequest<EmbeddingsProvider> | Problem {
  const written = writeEmbedding(asked, route, provider);
  if (written instanceof Problem) return written;
  const { api, body } = written;
  return { api, send: (handler) => api.send({ upstreamModel: route.upstreamModel, body }, handler) };
}

/** How its provider has embeddings, if it has them. */
export function embeddingsOf({ embeddings, relays }: Provider): EmbeddingsProvider | null {
  return embeddings ?? relays?.embeddings ?? null;
}

/** The caller's own body if the provider speaks its format, else a translation. */
export function writeEmbedding(
  { body, request, model, call }: EmbeddingToWrite,
  { upstreamModel }: UpstreamRoute,
  provider: Provider,
): { api: EmbeddingsProvider; body: Buffer } | Problem {
  const api = embeddingsOf(provider);
  if (api === null) return notOffered(model, 'embeddings');
  if (api.translation === undefined) return { api, body: relayedBody(body, upstreamModel) };
  try {
    rejectUnsupported(request);
    return { api, body: Buffer.from(JSON.stringify(api.translation.writeRequest(call, { upstreamModel }))) };
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}
