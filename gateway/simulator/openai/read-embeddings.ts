/** Reads a request for embeddings. */
import { type Embedding, traitsOf } from '../brain/models.ts';
import { countTokens } from '../brain/tokens.ts';
import { type Json, record } from '../json.ts';
import {
  inputInvalid,
  inputTooLong,
  notEmbeddingModel,
  tooManyDimensions,
  tooManyInputs,
  tooManyTokens,
  unchangeableDimensions,
} from './embeddings-refusals.ts';
import { checkFields, readInteger, readOne, readString } from './read-fields.ts';
import { missing, notJson, unknownModel } from './refusals.ts';

/** A text, or the ids of its tokens. */
export type EmbeddingInput = string | readonly number[];

export interface EmbeddingsRequest {
  readonly model: string;
  readonly embedding: Embedding;
  readonly dimensions: number;
  readonly base64: boolean;
  readonly inputs: readonly EmbeddingInput[];
  readonly inputTokens: number;
  /** The first text with a cue in it. */
  readonly asked: string;
}

const FIELDS = 'model input encoding_format dimensions user'.split(' ');
const INPUTS_MAX = 2_048;
const INPUT_TOKENS_MAX = 8_191;
const REQUEST_TOKENS_MAX = 300_000;

export function readEmbeddings(given: unknown): EmbeddingsRequest {
  const body = record(given);
  if (body === null) throw notJson();
  const { model, embedding } = readModel(body);
  checkFields(body, FIELDS);
  readString(body, 'user');
  const base64 = readOne(body, 'encoding_format', ['float', 'base64']) === 'base64';
  const dimensions = readDimensions(body, embedding);
  const inputs = readInputs(body.input);
  return {
    model,
    embedding,
    dimensions,
    base64,
    inputs,
    inputTokens: countAll(inputs),
    asked:
      (inputs.find((input) => typeof input === 'string' && input.includes('[[')) as string | undefined) ?? '',
  };
}

function readModel(body: Json): { model: string; embedding: Embedding } {
  const model = readString(body, 'model');
  if (model === null || model === '') throw missing('model');
  const traits = traitsOf(model);
  if (traits === null) throw unknownModel(model);
  if (traits.embeds === null) throw notEmbeddingModel();
  return { model, embedding: traits.embeds };
}

function readDimensions(body: Json, { dimensions, shortens }: Embedding): number {
  const asked = readInteger(body, 'dimensions', { least: 1 });
  if (asked === null) return dimensions;
  if (!shortens) throw unchangeableDimensions();
  if (asked > dimensions) throw tooManyDimensions(asked, dimensions);
  return asked;
}

function readInputs(value: unknown): readonly EmbeddingInput[] {
  if (value == null) throw missing('input');
  if (typeof value === 'string') return checkInputs([value]);
  if (!Array.isArray(value) || value.length === 0) throw inputInvalid();
  return checkInputs(typeof value[0] === 'number' ? [value] : value);
}

/** Texts or token ids, never some of each. */
function checkInputs(values: readonly unknown[]): readonly EmbeddingInput[] {
  if (values.length > INPUTS_MAX) throw tooManyInputs(INPUTS_MAX, values.length);
  const isInput = typeof values[0] === 'string' ? isText : isTokens;
  if (!values.every(isInput)) throw inputInvalid();
  return values as readonly EmbeddingInput[];
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

function isTokens(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((id) => Number.isInteger(id) && id >= 0);
}

function countAll(inputs: readonly EmbeddingInput[]): number {
  let sum = 0;
  for (const input of inputs) {
    const count = typeof input === 'string' ? countTokens(input) : input.length;
    if (count > INPUT_TOKENS_MAX) throw inputTooLong(INPUT_TOKENS_MAX + 1, count);
    sum += count;
  }
  if (sum > REQUEST_TOKENS_MAX) throw tooManyTokens(REQUEST_TOKENS_MAX, sum);
  return sum;
}
