/** A neutral embeddings call and its result, independent of any dialect. */
import type { EmbeddingsRequest } from '../contract/embeddings.ts';
import type { Usage } from '../pricing/usage.ts';
import { rejectUnknownFields } from '../text/reject-field.ts';

/** A text, or its token ids. */
export type EmbeddedInput = string | readonly number[];

/** The encoding of vectors: decimal numbers, or bytes in base64. */
export type VectorEncoding = 'float' | 'base64';

export interface EmbeddingCall {
  readonly inputs: readonly EmbeddedInput[];
  /** False for a single input that was not in a list. */
  readonly listed: boolean;
  readonly encoding: VectorEncoding;
  readonly dimensions: number | null;
}

export interface EmbeddingResult {
  /** In the order of the inputs. */
  readonly vectors: readonly Float32Array[];
  readonly usage: Usage | null;
}

export function readEmbeddingCall({ input, encoding_format, dimensions }: EmbeddingsRequest): EmbeddingCall {
  const lone = typeof input === 'string' || typeof input[0] === 'number';
  return {
    inputs: lone ? [input as EmbeddedInput] : (input as readonly EmbeddedInput[]),
    listed: !lone,
    encoding: encoding_format ?? 'float',
    dimensions: dimensions ?? null,
  };
}

const carried: ReadonlySet<string> = new Set(['model', 'input', 'encoding_format', 'dimensions']);

/** Throws for a field that only a provider of the same format supports. */
export function rejectUnsupported(request: EmbeddingsRequest): void {
  rejectUnknownFields(request, carried, {});
}

/** The path of an input in errors. */
export function inputPath({ listed }: EmbeddingCall, index: number): string {
  return listed ? `input[${index}]` : 'input';
}

export function inputTexts({ inputs }: EmbeddingCall): string[] {
  return inputs.filter((input) => typeof input === 'string');
}

/** The number of token ids in the request, which need no counting. */
export function inputTokenIds({ inputs }: EmbeddingCall): number {
  return inputs.reduce((sum, input) => sum + (typeof input === 'string' ? 0 : input.length), 0);
}
