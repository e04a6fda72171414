/** Relays a whole chat answer to the caller. */
import { estimatedCost } from '../../../contract/cost.ts';
import { replaceFields } from '../../../json/edit-fields.ts';
import { locateFields } from '../../../json/parse-json.ts';
import type { Json } from '../../../json/read-json.ts';
import { decodeByteString } from '../../../kernel/byte-string.ts';
import type { AnswerEnd, WholeAnswer } from '../../text-format.ts';
import { citesSources, offersHostedTool, seenChatDetails } from './hosted-tools.ts';
import { readChatUsage } from './read-usage.ts';
import { writeChatUsage } from './write-usage.ts';

interface ChatAnswerJson {
  choices?: Array<{ message?: ProducedJson; finish_reason?: string }>;
  usage?: unknown;
  service_tier?: unknown;
  model?: unknown;
  estimated_cost?: unknown;
}

export interface ProducedJson {
  content?: unknown;
  refusal?: unknown;
  reasoning_content?: unknown;
  tool_calls?: Array<{ function?: { name?: string; arguments?: string } }>;
}

/** Null when the bytes are not a chat completion. */
export function relayChatAnswer(
  bytes: Buffer,
  context: { model: string; request: object },
): WholeAnswer | null {
  // A byte string: the body is only searched and passed on, so decoding would be a waste.
  const body = bytes.toString('latin1');
  const json = parseObject(body);
  if (json === null || !Array.isArray(json.choices)) return null;
  const choices = objectsOf(json.choices);
  const usage = readChatUsage(json.usage, json.service_tier);
  return {
    usage,
    seenDetails: () => {
      const cited = [json, ...choices.map(({ message }) => message ?? {})].some((part) =>
        citesSources(part as Json),
      );
      const hosted = cited || offersHostedTool(context.request);
      return seenChatDetails({ usage: json.usage, tier: json.service_tier, hosted });
    },
    finishReason: choices[0]?.finish_reason ?? null,
    texts: () => choices.flatMap((choice) => producedTexts(choice.message)).map(decodeByteString),
    body: (end) => showAnswer(bytes, { body, json, model: context.model, counted: usage === null }, end),
  };
}

/** The same body with our model code and the cost, and with the usage if the provider sent none. */
function showAnswer(
  bytes: Buffer,
  answer: { body: string; json: ChatAnswerJson; model: string; counted: boolean },
  end: AnswerEnd,
): string {
  const { body, json } = answer;
  const model = JSON.stringify(answer.model);
  const cost = JSON.stringify(estimatedCost(end.cost));
  const spliced = json.estimated_cost === undefined && !answer.counted;
  const place = spliced ? onlyPlaceOf(body, json.model) : null;
  if (place === null) {
    const changes: Record<string, string> = { model, estimated_cost: cost };
    if (answer.counted && end.usage !== null) changes.usage = JSON.stringify(writeChatUsage(end.usage));
    const fields = locateFields(bytes);
    return replaceFields({ bytes, fields }, changes).toString('latin1');
  }
  const rest = body.slice(place.end, body.lastIndexOf('}'));
  return `${body.slice(0, place.start)}"model":${model}${rest},"estimated_cost":${cost}}`;
}

/**
 * The position of `"model": …` if it occurs once. It is then the field of the answer itself, because a quote
 * inside a JSON string is escaped. A plain string search is fast.
 */
function onlyPlaceOf(body: string, model: unknown): { start: number; end: number } | null {
  if (typeof model !== 'string') return null;
  const value = JSON.stringify(model);
  return onlyPlace(body, `"model":${value}`) ?? onlyPlace(body, `"model": ${value}`);
}

function onlyPlace(body: string, text: string): { start: number; end: number } | null {
  const start = body.indexOf(text);
  return start < 0 || body.indexOf(text, start + 1) >= 0 ? null : { start, end: start + text.length };
}

/** The objects in a list of a provider, which may send anything in place of the list or of one of them. */
export function objectsOf<T extends object>(list: readonly T[] | undefined): T[] {
  if (!Array.isArray(list)) return [];
  return (list as readonly T[]).filter((each: unknown) => typeof each === 'object' && each !== null);
}

export function producedTexts(produced: ProducedJson | undefined): string[] {
  const texts = [produced?.content, produced?.refusal, produced?.reasoning_content];
  for (const call of objectsOf(produced?.tool_calls))
    texts.push(call.function?.name, call.function?.arguments);
  return texts.filter((text): text is string => typeof text === 'string' && text !== '');
}

function parseObject(body: string): ChatAnswerJson | null {
  try {
    const json: unknown = JSON.parse(body);
    return typeof json === 'object' && json !== null ? (json as ChatAnswerJson) : null;
  } catch {
    return null;
  }
}
