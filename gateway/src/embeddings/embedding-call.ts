/** What a caller wants embedded and what comes of it, in the words of no dialect. */
import type { EmbeddingsRequest } from '../contract/embeddings.ts';
import type { Usage } from '../pricing/usage.ts';
import { refuseUnknown } from '../text/refuse.ts';

/** A text, or the ids of its tokens. */
export type EmbeddedInput = string | readonly number[];

/** How vectors are written: as decimal numbers, or their bytes in base64. */
export type VectorEncoding = 'float' | 'base64';

export interface EmbeddingCall {
  readonly inputs: readonly EmbeddedInput[];
  /** False for a lone input that stood in no list. */
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

/** Throws for a field that only a provider of the same format can be told. */
export function refuseUncarried(request: EmbeddingsRequest): void {
  refuseUnknown(request, carried, {});
}

/** How a refusal names an input. */
export function inputPath({ listed }: EmbeddingCall, index: number): string {
  return listed ? `input[${index}]` : 'input';
}

export function inputTexts({ inputs }: EmbeddingCall): string[] {
  return inputs.filter((input) => typeof input === 'string');
}

/** How many token ids were sent as such: these need no counting. */
export function inputTokenIds({ inputs }: EmbeddingCall): number {
  return inputs.reduce((sum, input) => sum + (typeof input === 'string' ? 0 : input.length), 0);
}
