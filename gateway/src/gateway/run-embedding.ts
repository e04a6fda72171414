/** A call for embeddings from admission to settlement, read top to bottom. */
import { checkEmbeddingCall } from '../catalog/check-embedding.ts';
import type { Model, Route } from '../catalog/model.ts';
import type { EmbeddingsRequest } from '../contract/embeddings.ts';
import { type JsonObject, replaceFields } from '../kernel/json.ts';
import { Problem } from '../kernel/problem.ts';
import type { EmbeddingsProvider, Provider } from '../providers/provider.ts';
import {
  type EmbeddingCall,
  inputTexts,
  inputTokenIds,
  readEmbeddingCall,
  refuseUncarried,
} from '../text/embeddings/embedding-call.ts';
import { relayEmbeddings } from '../text/embeddings/relay-answer.ts';
import { writeEmbeddings } from '../text/embeddings/write-answer.ts';
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
  const { request, principal } = asked;
  const model = tools.catalog().find(request.model, { user: principal, endpoint: 'embeddings' });
  const call = readEmbeddingCall(request);
  checkEmbeddingCall(model, call);
  const counting = checkEmbeddingTokens(model, call, tools);
  if (counting !== null) await counting;

  const beginning = beginCall(asked, { model, endpoint: 'embeddings', streamed: false }, tools);
  const begun = beginning instanceof Promise ? await beginning : beginning;
  const context = { model: model.code, encoding: call.encoding, inputs: call.inputs.length };
  const work = (): Promise<void> =>
    runWhole<EmbeddingsProvider>(
      {
        ...begun,
        prepare: (route, provider) => prepareEmbedding({ ...asked, model, call }, route, provider),
        read: ({ api }, body) => {
          if (api.translation === null) return relayEmbeddings(body, context);
          const result = api.translation.readAnswer(body.whole());
          return result?.vectors.length === context.inputs ? writeEmbeddings(result, context) : null;
        },
        promptTexts: () => inputTexts(call),
        promptTokens: inputTokenIds(call),
        images: 0,
        keep: null,
      },
      tools,
    );
  await finishCall(begun, work, tools);
}

/** The caller's own body where the provider speaks its format, else one written anew. */
function prepareEmbedding(
  asked: EmbeddingRequest & { model: Model; call: EmbeddingCall },
  { upstreamModel }: Route,
  { embeddings }: Provider,
): Prepared<EmbeddingsProvider> | Problem {
  const { body, request, model, call } = asked;
  if (embeddings === undefined) {
    const detail = `The model ${model.code} does not support /v1/embeddings.`;
    return new Problem('model_not_found', { detail, param: 'model' });
  }
  const { translation } = embeddings;
  try {
    if (translation !== null) refuseUncarried(request);
    const sent =
      translation === null
        ? replaceFields(body, { model: JSON.stringify(upstreamModel) })
        : Buffer.from(JSON.stringify(translation.writeRequest(call, { upstreamModel })));
    return {
      api: embeddings,
      send: (handler) => embeddings.send({ upstreamModel, body: sent }, handler),
    };
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}
