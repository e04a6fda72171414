/** Writes vectors as the body of an answer. */
import { estimatedCost } from '../contract/cost.ts';
import type { AnswerEnd, ShownBody, WholeAnswer } from '../text/text-format.ts';
import type { EmbeddingResult, VectorEncoding } from './embedding-call.ts';
import { writeEmbeddingUsage } from './embedding-usage.ts';
import { writeVector } from './vectors.ts';

export function writeEmbeddings(
  { vectors, usage }: EmbeddingResult,
  shown: { model: string; encoding: VectorEncoding },
): WholeAnswer<ShownBody> {
  return {
    usage,
    finishReason: null,
    texts: () => [],
    body: (end) => [
      Buffer.from('{"object":"list","data":['),
      // One by one, because together they may exceed the maximum string length.
      ...vectors.map((vector, i) => {
        const item = `{"object":"embedding","index":${i},"embedding":${writeVector(vector, shown.encoding)}}`;
        return Buffer.from(i === 0 ? item : `,${item}`, 'latin1');
      }),
      Buffer.from(`],"model":${JSON.stringify(shown.model)}${writeEnd(end)}}`),
    ],
  };
}

function writeEnd({ usage, cost }: AnswerEnd): string {
  const usageText = usage === null ? '' : `,"usage":${JSON.stringify(writeEmbeddingUsage(usage))}`;
  return `${usageText},"estimated_cost":${JSON.stringify(estimatedCost(cost))}`;
}
