/** Relays embeddings to the caller, unparsed if they have the requested encoding. */
import { estimatedCost } from '../contract/cost.ts';
import { replaceFields } from '../json/edit-fields.ts';
import { locateFields } from '../json/parse-json.ts';
import { listOf, objectOf, parseObject } from '../json/read-json.ts';
import type { AnswerEnd, ShownBody, WholeAnswer } from '../text/text-format.ts';
import type { EmbeddingResult, VectorEncoding } from './embedding-call.ts';
import { readEmbeddingUsage, writeEmbeddingUsage } from './embedding-usage.ts';
import {
  type BodyPieces,
  completeHead,
  completeTail,
  cutHead,
  cutTail,
  type Envelope,
  openEnvelope,
} from './envelope.ts';
import { readVector } from './vectors.ts';
import { writeEmbeddings } from './write-answer.ts';

export interface RelayedBody extends BodyPieces {
  whole(): Buffer;
}

export interface EmbeddingContext {
  /** The model code the caller knows. */
  readonly model: string;
  readonly encoding: VectorEncoding;
  /** The number of requested vectors. */
  readonly inputs: number;
}

/** Larger bodies are parsed only if they must be rewritten. */
const PARSED_BYTES_MAX = 64 * 1024;

/** Null when the body is not an answer of the embeddings format. */
export function relayEmbeddings(body: RelayedBody, context: EmbeddingContext): WholeAnswer<ShownBody> | null {
  const envelope = openEnvelope(body);
  if (envelope === null) return null;
  if (envelope.encoding !== context.encoding) {
    // Some servers support only one encoding and ignore the requested one.
    const result = readEmbeddings(body.whole(), context.inputs);
    return result === null ? null : writeEmbeddings(result, context);
  }
  if (body.length <= PARSED_BYTES_MAX && !holdsVectors(body.whole(), context.inputs)) return null;
  return {
    usage: readEmbeddingUsage(envelope.fields.usage),
    finishReason: null,
    texts: () => [],
    body: (end) => showAnswer(body, envelope, changesOf(envelope, context, end)),
  };
}

/** Null unless there is one vector for each input. */
export function readEmbeddings(body: Buffer, inputs: number): EmbeddingResult | null {
  const json = parseObject(body.toString('latin1'));
  const items = listOf(json?.data).toSorted((a, b) => Number(a.index) - Number(b.index));
  const vectors = items.flatMap(({ embedding }) => readVector(embedding) ?? []);
  return vectors.length === inputs ? { vectors, usage: readEmbeddingUsage(json?.usage) } : null;
}

function holdsVectors(body: Buffer, inputs: number): boolean {
  const items = listOf(parseObject(body.toString('latin1'))?.data);
  return items.length === inputs && items.every(({ embedding }) => embedding !== undefined);
}

/** Our model code and the cost; the usage only if the provider's is incomplete. */
function changesOf({ fields }: Envelope, { model }: EmbeddingContext, end: AnswerEnd): Changes {
  const { prompt_tokens, total_tokens } = objectOf(fields.usage);
  const isComplete = prompt_tokens !== undefined && total_tokens !== undefined;
  const usage = isComplete || end.usage === null ? null : JSON.stringify(writeEmbeddingUsage(end.usage));
  return {
    model: JSON.stringify(model),
    ...(usage !== null && { usage }),
    estimated_cost: JSON.stringify(estimatedCost(end.cost)),
  };
}

type Changes = Readonly<Record<string, string>>;

function showAnswer(
  body: BodyPieces,
  { head, tail, dataStart, dataEnd }: Envelope,
  changes: Changes,
): Buffer[] {
  const before = Buffer.from(completeHead(head), 'latin1');
  const fields = locateFields(before);
  const [here, behind] = [true, false].map((inHead) =>
    Object.fromEntries(Object.entries(changes).filter(([name]) => fields.has(name) === inHead)),
  ) as [Changes, Changes];
  const shownHead = cutHead(replaceFields({ bytes: before, fields }, here).toString('latin1'));
  const after = Buffer.from(completeTail(tail), 'latin1');
  const replaced = replaceFields({ bytes: after, fields: locateFields(after) }, behind);
  return [
    Buffer.from(shownHead, 'latin1'),
    ...body.slice(dataStart, dataEnd),
    Buffer.from(`]${cutTail(replaced.toString('latin1'))}`, 'latin1'),
  ];
}
