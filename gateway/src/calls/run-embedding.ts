/** A call for embeddings from admission to settlement, read top to bottom. */
import { checkEmbeddingCall } from '../catalog/check-embedding.ts';
import type { Model, Route } from '../catalog/model.ts';
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
import { putInline } from '../kernel/json/inline-pieces.ts';
import { type JsonObject, replaceFields } from '../kernel/json/json.ts';
import { Problem } from '../kernel/problem.ts';
import type { EmbeddingsProvider, Provider } from '../providers/provider.ts';
import type { ShownBody, WholeAnswer } from '../text/text-format.ts';
import { type Asked, beginCall, finishCall } from './begin-call.ts';
import type { Prepared } from './call-upstream.ts';
import { checkEmbeddingTokens } from './check-embedding-tokens.ts';
import { runWhole } from './run-whole.ts';
import type { RunTextTools } from './text-request.ts';

export interface EmbeddingRequest extends Asked {
  readonly body: JsonObject;
  readonly request: EmbeddingsRequest;
}

export async function runEmbedding(asked: EmbeddingRequest, tools: RunTextTools): Promise<void> {
  const { model, call, counting } = checkEmbedding(asked, tools);
  if (counting !== null) await counting;

  const beginning = beginCall(asked, { model, endpoint: 'embeddings', streamed: false }, tools);
  const begun = beginning instanceof Promise ? await beginning : beginning;
  const context = embeddingContext(model, call);
  const work = (): Promise<void> =>
    runWhole<EmbeddingsProvider>(
      {
        ...begun,
        prepare: (route, provider) => prepareEmbedding({ ...asked, model, call }, route, provider),
        read: ({ api }, body) => readEmbedding(api, body, context),
        promptTexts: () => inputTexts(call),
        promptTokens: inputTokenIds(call),
        images: 0,
        keep: null,
      },
      tools,
    );
  await finishCall(begun, work, tools);
}

/** Throws a Problem for what the model cannot do; `counting` does so later, where tokens must be counted. */
export function checkEmbedding(
  { request, principal }: Pick<EmbeddingRequest, 'request' | 'principal'>,
  tools: Pick<RunTextTools, 'catalog' | 'tokens'>,
): { model: Model; call: EmbeddingCall; counting: Promise<void> | null } {
  const model = tools.catalog().find(request.model, { user: principal, endpoint: 'embeddings' });
  const call = readEmbeddingCall(request);
  checkEmbeddingCall(model, call);
  return { model, call, counting: checkEmbeddingTokens(model, call, tools) };
}

export function embeddingContext(model: Model, call: EmbeddingCall): EmbeddingContext {
  return { model: model.code, encoding: call.encoding, inputs: call.inputs.length };
}

/** Null when the body is no answer to this call. */
export function readEmbedding(
  api: EmbeddingsProvider,
  body: RelayedBody,
  context: EmbeddingContext,
): WholeAnswer<ShownBody> | null {
  if (api.translation === null) return relayEmbeddings(body, context);
  const result = api.translation.readAnswer(body.whole());
  return result?.vectors.length === context.inputs ? writeEmbeddings(result, context) : null;
}

type EmbeddingToWrite = Pick<EmbeddingRequest, 'body' | 'request'> & { model: Model; call: EmbeddingCall };

function prepareEmbedding(
  asked: EmbeddingToWrite,
  route: Route,
  provider: Provider,
): Prepared<EmbeddingsProvider> | Problem {
  const written = writeEmbedding(asked, route, provider);
  if (written instanceof Problem) return written;
  const { api, body } = written;
  return { api, send: (handler) => api.send({ upstreamModel: route.upstreamModel, body }, handler) };
}

/** The caller's own body where the provider speaks its format, else one written anew. */
export function writeEmbedding(
  { body, request, model, call }: EmbeddingToWrite,
  { upstreamModel }: Route,
  { embeddings: api }: Provider,
): { api: EmbeddingsProvider; body: Buffer } | Problem {
  if (api === undefined) {
    const detail = `The model ${model.code} does not support /v1/embeddings.`;
    return new Problem('model_not_found', { detail, param: 'model' });
  }
  if (api.translation === null) {
    const relayed = putInline(replaceFields(body, { model: JSON.stringify(upstreamModel) }), body.inline);
    return { api, body: Buffer.isBuffer(relayed) ? relayed : Buffer.concat(relayed) };
  }
  try {
    rejectUnsupported(request);
    return { api, body: Buffer.from(JSON.stringify(api.translation.writeRequest(call, { upstreamModel }))) };
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}
