/** Embeddings of the largest usual size: what is asked, what is answered, and how a reply is checked. */
export const EMBEDDING_MODEL = 'bench-embed';
export const INPUTS = 2_048;
export const DIMENSIONS = 1_536;
/** The price that makes such a call cost what every other call of the benchmark does. */
export const EMBEDDING_PRICE = '0.1';
const USAGE = { prompt_tokens: 9_200, total_tokens: 9_200 };

export type VectorEncoding = 'float' | 'base64';

export function embeddingsBody(call: { model: string; encoding: VectorEncoding }): string {
  const input = Array.from({ length: INPUTS }, (_, i) => `passage number ${i} of the manual`);
  return JSON.stringify({ model: call.model, input, encoding_format: call.encoding });
}

/** Every vector is the same: nobody reads them, and their digits are as many as those of real ones. */
export function embeddingsAnswer(encoding: VectorEncoding, model: string): Buffer {
  const vector = Float32Array.from({ length: DIMENSIONS }, (_, i) => Math.sin(i + 1) / 40);
  const text =
    encoding === 'float' ? `[${vector.join()}]` : `"${Buffer.from(vector.buffer).toString('base64')}"`;
  const items = Array.from(
    { length: INPUTS },
    (_, index) => `{"object":"embedding","index":${index},"embedding":${text}}`,
  );
  const end = `"model":${JSON.stringify(model)},"usage":${JSON.stringify(USAGE)}`;
  return Buffer.from(`{"object":"list","data":[${items.join()}],${end}}`);
}

const BASE64_BYTES = Math.ceil((DIMENSIONS * 4) / 3) + 40;

/** Null when the reply is what was to come; `body` has only its two ends. */
export function embeddingsFault(reply: { body: string; length: number }): string | null {
  if (!reply.body.startsWith('{"object":"list","data":[{')) return 'the embeddings do not begin';
  const whole = reply.body.endsWith('}') && reply.body.includes('"total_tokens":9200');
  if (!whole) return 'the embeddings do not end';
  return reply.length > INPUTS * BASE64_BYTES ? null : `${reply.length} bytes are too few`;
}
