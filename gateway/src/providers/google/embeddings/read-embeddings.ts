/** Reads the vectors of an embeddings answer. Pure. */
import type { EmbeddingResult } from '../../../embeddings/embedding-call.ts';
import { embeddingUsage } from '../../../embeddings/embedding-usage.ts';
import { readVector } from '../../../embeddings/vectors.ts';
import { listOf, objectOf, parseObject } from '../../../json/read-json.ts';

/** Null unless every embedding can be read. They have the order of the inputs. */
export function readGoogleEmbeddings(body: Buffer): EmbeddingResult | null {
  const json = parseObject(body.toString('latin1'));
  const items = listOf(json?.embeddings);
  const vectors = items.flatMap(({ values }) => readVector(values) ?? []);
  if (vectors.length === 0 || vectors.length !== items.length) return null;
  // Only newer models report token counts.
  const { promptTokenCount } = objectOf(json?.usageMetadata);
  return {
    vectors,
    usage: promptTokenCount === undefined ? null : embeddingUsage(promptTokenCount as number),
  };
}
