/**
 * Relays an image answer. Only the JSON around the images is parsed; the images are neither parsed nor
 * joined. Pure.
 */
import { estimatedCost } from '../../../contract/cost.ts';
import { type JsonOutline, outlineJson } from '../../../json/outline-json.ts';
import { locateFields } from '../../../json/parse-json.ts';
import { isObject, type Json, parseObject } from '../../../json/read-json.ts';
import { NO_TOKENS } from '../../../pricing/usage.ts';
import type { AnswerEnd, ShownBody, WholeAnswer } from '../../../text/text-format.ts';
import type { AnswerBody, ImageAnswerContext } from '../../provider.ts';
import { readImagesUsage } from './read-usage.ts';

/** Null when the body is not an image answer, or has URLs: those of the provider are never passed on. */
export function readImagesAnswer(
  body: AnswerBody,
  context: ImageAnswerContext,
): WholeAnswer<ShownBody> | null {
  const outline = outlineJson(body.pieces);
  const json = outline === null ? null : parseObject(outline.bytes.toString('utf8'));
  if (outline === null || json === null || !holdsImages(json.data)) return null;
  const { asked } = context;
  return {
    // Only the provider can count image tokens. Without its counts only a price per image applies.
    usage: readImagesUsage(json) ?? NO_TOKENS,
    images: json.data.length,
    // For "auto" the answer may say what was chosen.
    imageKind: { size: wordOf(json.size) ?? asked.size, quality: wordOf(json.quality) ?? asked.quality },
    finishReason: null,
    texts: () => [],
    body: (end) => showAnswer(body, { outline, json, context }, end),
  };
}

function holdsImages(data: unknown): data is readonly Json[] {
  return (
    Array.isArray(data) &&
    data.length > 0 &&
    data.every((item) => isObject(item) && wordOf(item.b64_json) !== null && (item.url ?? null) === null)
  );
}

function wordOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** The same body with the cost, and with our model code instead of the provider's. */
function showAnswer(
  body: AnswerBody,
  answer: { outline: JsonOutline; json: Json; context: ImageAnswerContext },
  { cost }: AnswerEnd,
): readonly Buffer[] {
  const { outline, json, context } = answer;
  const changes: Record<string, unknown> = {
    ...(json.model !== undefined && { model: context.model }),
    ...(!Number.isSafeInteger(json.created) && { created: context.createdSeconds }),
    estimated_cost: estimatedCost(cost),
  };
  const fields = locateFields(outline.bytes);
  const brace = outline.bytes.lastIndexOf('}');
  const edits = Object.entries(changes).map(([name, value]) => {
    const { start, end } = fields.get(name) ?? { start: brace, end: brace };
    const text = JSON.stringify(value);
    return { start, end, text: start === brace ? `,${JSON.stringify(name)}:${text}` : text };
  });
  edits.sort((a, b) => a.start - b.start);
  const pieces: Buffer[] = [];
  let from = 0;
  for (const { start, end, text } of edits) {
    pieces.push(...body.slice(from, outline.bodyPosition(start)), Buffer.from(text));
    from = outline.bodyPosition(end);
  }
  return [...pieces, ...body.slice(from, body.length)];
}
