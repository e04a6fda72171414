/** Writes an embeddings call as a Gemini batch. Pure. */

import type { EmbeddingCall } from '../../../embeddings/embedding-call.ts';
import { Problem } from '../../../kernel/problem.ts';
import { modelResource } from '../model-resource.ts';

export function writeGoogleEmbeddings(call: EmbeddingCall, target: { upstreamModel: string }): object {
  const model = modelResource(target.upstreamModel);
  const { dimensions } = call;
  return {
    requests: call.inputs.map((input) => {
      if (typeof input !== 'string') throw takesNoTokens();
      return {
        model,
        content: { parts: [{ text: input }] },
        ...(dimensions !== null && { outputDimensionality: dimensions }),
      };
    }),
  };
}

function takesNoTokens(): Problem {
  return new Problem('invalid_parameter', {
    detail: 'This model accepts text as input, not token ids.',
    param: 'input',
  });
}
