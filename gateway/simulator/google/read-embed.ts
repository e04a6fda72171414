/** Reads requests for embeddings. */
import { type Embedding, traitsOf } from '../brain/models.ts';
import { type Json, record } from '../json.ts';
import { badPayload, invalid, notJson, unknownModel } from './refusals.ts';
import { batchEmbedShape, embedShape } from './request-shape.ts';
import { normalise } from './shapes.ts';

export interface EmbedRequest {
  readonly text: string;
  readonly embedding: Embedding;
  readonly dimensions: number;
}

const BATCH_MAX = 100;
const TASKS =
  'TASK_TYPE_UNSPECIFIED RETRIEVAL_QUERY RETRIEVAL_DOCUMENT SEMANTIC_SIMILARITY CLASSIFICATION CLUSTERING ' +
  'QUESTION_ANSWERING FACT_VERIFICATION CODE_RETRIEVAL_QUERY';
const TASK_TYPES = new Set<unknown>(TASKS.split(' '));

export function readEmbed(given: unknown, model: string): EmbedRequest {
  const embedding = readModel(model, 'embedContent');
  const body = record(given);
  if (body === null) throw notJson();
  return readOne(normalise(body, embedShape), embedding, 'EmbedContentRequest');
}

export function readBatch(given: unknown, model: string): readonly EmbedRequest[] {
  const embedding = readModel(model, 'batchEmbedContents');
  const body = record(given);
  if (body === null) throw notJson();
  const { requests } = normalise(body, batchEmbedShape);
  const asked = Array.isArray(requests) ? (requests as Json[]) : [];
  const place = 'BatchEmbedContentsRequest.requests';
  if (asked.length === 0) throw invalid(`* ${place}: requests must not be empty\n`);
  if (asked.length > BATCH_MAX) {
    throw invalid(`* ${place}: at most ${BATCH_MAX} requests can be in one batch\n`);
  }
  return asked.map((request, index) => {
    const at = `${place}[${index}]`;
    if (request.model === undefined) throw invalid(`* ${at}.model: model is required\n`);
    if (request.model !== `models/${model}`) {
      throw invalid(`* ${at}.model: the model must match the model of the batch\n`);
    }
    return readOne(request, embedding, at);
  });
}

function readModel(model: string, method: string): Embedding {
  const embedding = traitsOf(model)?.embeds ?? null;
  if (embedding === null) throw unknownModel(model, method);
  return embedding;
}

function readOne(request: Json, embedding: Embedding, at: string): EmbedRequest {
  const { taskType } = request;
  if (taskType !== undefined && !TASK_TYPES.has(taskType)) {
    const description = `Invalid value at 'task_type' (type.googleapis.com/google.ai.generativelanguage.v1beta.TaskType), ${JSON.stringify(taskType)}`;
    throw badPayload([{ field: 'task_type', description }]);
  }
  return {
    text: readText(request.content, at),
    embedding,
    dimensions: readDimensions(request, embedding, at),
  };
}

function readText(content: unknown, at: string): string {
  const parts = record(content)?.parts;
  const given = Array.isArray(parts) ? (parts as Json[]) : [];
  if (given.length === 0) throw invalid(`* ${at}.content: contents is not specified\n`);
  const texts = given.map(({ text }) => text);
  if (!texts.every((text) => typeof text === 'string' && text !== '')) {
    throw invalid(`* ${at}.content contains an empty Part.\n`);
  }
  return texts.join('\n');
}

function readDimensions(request: Json, { dimensions, shortens }: Embedding, at: string): number {
  const asked = request.outputDimensionality;
  if (asked === undefined) return dimensions;
  const place = `${at}.output_dimensionality`;
  if (!shortens) throw invalid(`* ${place}: this model has one dimensionality only\n`);
  if (typeof asked === 'number' && Number.isInteger(asked) && asked >= 1 && asked <= dimensions) return asked;
  throw invalid(`* ${place}: must be between 1 and ${dimensions}\n`);
}
