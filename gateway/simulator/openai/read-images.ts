/** Reads a request for images. */
import { traitsOf } from '../brain/models.ts';
import type { Picture } from '../brain/png.ts';
import { type Json, record } from '../json.ts';
import {
  blockedByModeration,
  emptyString,
  onlyPng,
  stringTooLong,
  unsupportedCompression,
} from './images-refusals.ts';
import { checkFields, readInteger, readOne, readString } from './read-fields.ts';
import { missing, notJson, unknownModel } from './refusals.ts';
import { unsupportedValue } from './responses-refusals.ts';

export interface ImagesRequest {
  readonly model: string;
  readonly prompt: string;
  readonly count: number;
  /** Such as `1024x1024`. */
  readonly size: string;
  readonly quality: string;
  readonly transparent: boolean;
  /** Those to be edited; none where one is drawn afresh. */
  readonly images: readonly Buffer[];
  /** The first of them, where it can be read. */
  readonly under: Picture | null;
}

const FIELDS =
  'model prompt n size quality background output_format output_compression moderation user'.split(' ');
const COUNT_MAX = 10;
const PROMPT_CHARACTERS_MAX = 32_000;
const SIZES = ['1024x1024', '1024x1536', '1536x1024', 'auto'];
const QUALITIES = ['low', 'medium', 'high', 'auto'];

export function readGeneration(given: unknown): ImagesRequest {
  const body = record(given);
  if (body === null) throw notJson();
  return { ...readFields(body, FIELDS), images: [], under: null };
}

/** What a new image and a changed one have in common; `known` are the fields there may be. */
export function readFields(body: Json, known: readonly string[]): Omit<ImagesRequest, 'images' | 'under'> {
  const model = readModel(body);
  checkFields(body, known);
  const prompt = readPrompt(body);
  const count = readInteger(body, 'n', { least: 1, most: COUNT_MAX }) ?? 1;
  const size = readOne(body, 'size', SIZES) ?? 'auto';
  const quality = readOne(body, 'quality', QUALITIES) ?? 'auto';
  const background = readOne(body, 'background', ['transparent', 'opaque', 'auto']);
  readOne(body, 'moderation', ['low', 'auto']);
  readString(body, 'user');
  checkFormat(body);
  if (prompt.includes('[[filter]]')) throw blockedByModeration();
  return {
    model,
    prompt,
    count,
    size: size === 'auto' ? '1024x1024' : size,
    quality: quality === 'auto' ? 'high' : quality,
    transparent: background === 'transparent',
  };
}

function readModel(body: Json): string {
  const model = readString(body, 'model');
  if (model === null || model === '') throw missing('model');
  const traits = traitsOf(model);
  if (traits === null) throw unknownModel(model);
  if (!traits.paints) throw unsupportedValue('model', model, ['sim-image']);
  return model;
}

function readPrompt(body: Json): string {
  const prompt = readString(body, 'prompt');
  if (prompt === null) throw missing('prompt');
  if (prompt === '') throw emptyString('prompt');
  if (prompt.length > PROMPT_CHARACTERS_MAX) {
    throw stringTooLong('prompt', PROMPT_CHARACTERS_MAX, prompt.length);
  }
  return prompt;
}

function checkFormat(body: Json): void {
  const format = readOne(body, 'output_format', ['png', 'jpeg', 'webp']) ?? 'png';
  if (format !== 'png') throw onlyPng(format);
  const compression = readInteger(body, 'output_compression', { least: 0, most: 100 }) ?? 100;
  if (compression < 100) throw unsupportedCompression();
}
