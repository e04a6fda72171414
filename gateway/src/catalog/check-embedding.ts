/** Rejects embeddings calls that a model does not support before they are sent. Pure. */

import { type EmbeddingCall, inputPath } from '../embeddings/embedding-call.ts';
import { Problem } from '../kernel/problem.ts';
import type { Model } from './model.ts';

export function checkEmbeddingCall(model: Model, call: EmbeddingCall): void {
  const { code, capabilities, embedding } = model;
  if (call.dimensions !== null && !capabilities.has('dimensions')) {
    throw new Problem('invalid_parameter', {
      detail: `${code} has a fixed vector size; remove "dimensions".`,
      param: 'dimensions',
    });
  }
  const { inputsMax } = embedding;
  if (inputsMax !== null && call.inputs.length > inputsMax) {
    throw new Problem('batch_too_large', {
      detail: `input has ${call.inputs.length} items; ${code} accepts at most ${inputsMax} in one call.`,
      param: 'input',
    });
  }
}

/** The inputs whose tokens must be counted to check the limits of the model. */
export interface TokensToCount {
  /** The indexes of inputs that may be too long. */
  readonly long: readonly number[];
  /** Whether all inputs together may be too long. */
  readonly total: boolean;
}

/** Null when nothing needs counting: a token has at least one byte, and token ids are already counted. */
export function tokensToCount(model: Model, call: EmbeddingCall): TokensToCount | null {
  const { inputTokensMax, totalTokensMax } = model.embedding;
  if (inputTokensMax === null && totalTokensMax === null) return null;
  const most = call.inputs.map(mostTokens);
  const long =
    inputTokensMax === null ? [] : most.flatMap((tokens, i) => (tokens > inputTokensMax ? [i] : []));
  const total = totalTokensMax !== null && sum(most) > totalTokensMax;
  return long.length > 0 || total ? { long, total } : null;
}

export function checkInputTokens(
  model: Model,
  call: EmbeddingCall,
  input: { index: number; tokens: number },
): void {
  const { inputTokensMax } = model.embedding;
  if (inputTokensMax === null || input.tokens <= inputTokensMax) return;
  const param = inputPath(call, input.index);
  const about = typeof call.inputs[input.index] === 'string' ? 'about ' : '';
  throw new Problem('input_too_long', {
    detail: `${param} has ${about}${input.tokens} tokens; ${model.code} accepts at most ${inputTokensMax} in one input.`,
    param,
  });
}

export function checkTotalTokens(model: Model, tokens: number): void {
  const { totalTokensMax } = model.embedding;
  if (totalTokensMax === null || tokens <= totalTokensMax) return;
  throw new Problem('batch_too_large', {
    detail: `input has about ${tokens} tokens; ${model.code} accepts at most ${totalTokensMax} in one call.`,
    param: 'input',
  });
}

function mostTokens(input: EmbeddingCall['inputs'][number]): number {
  return typeof input === 'string' ? Buffer.byteLength(input) : input.length;
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
