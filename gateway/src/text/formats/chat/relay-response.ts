/** A provider's whole chat answer on its way to the caller. */
import { estimatedCost } from '../../../contract/cost.ts';
import { locateFields, replaceFields } from '../../../kernel/json.ts';
import type { Units } from '../../../kernel/units.ts';
import type { Usage } from '../../../pricing/usage.ts';
import { readChatUsage } from './read-usage.ts';

export interface ChatAnswer {
  /** The body as a byte string: it is only looked at and passed on, so decoding it would be waste. */
  readonly body: string;
  readonly json: ChatAnswerJson;
  readonly usage: Usage | null;
  readonly finishReason: string | null;
  /** Everything the model wrote, for counting where the provider did not. */
  texts(): string[];
}

interface ChatAnswerJson {
  choices?: Array<{ message?: ProducedJson; finish_reason?: string }>;
  usage?: unknown;
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
export function readChatAnswer(bytes: Buffer): ChatAnswer | null {
  const body = bytes.toString('latin1');
  const json = parseObject(body);
  if (json === null || !Array.isArray(json.choices)) return null;
  const { choices } = json;
  return {
    body,
    json,
    usage: readChatUsage(json.usage),
    finishReason: choices[0]?.finish_reason ?? null,
    texts: () => choices.flatMap((choice) => producedTexts(choice.message)).map(decodeByteString),
  };
}

/** The same body with our model code and the cost, as a byte string. */
export function relayChatAnswer(answer: ChatAnswer, shown: { model: string; cost: Units | null }): string {
  const { body, json } = answer;
  const model = JSON.stringify(shown.model);
  const cost = JSON.stringify(estimatedCost(shown.cost));
  const place = json.estimated_cost === undefined ? onlyPlaceOf(body, json.model) : null;
  if (place === null) {
    const bytes = Buffer.from(body, 'latin1');
    const fields = locateFields(bytes);
    return replaceFields({ bytes, fields }, { model, estimated_cost: cost }).toString('latin1');
  }
  const rest = body.slice(place.end, body.lastIndexOf('}'));
  return `${body.slice(0, place.start)}"model":${model}${rest},"estimated_cost":${cost}}`;
}

/**
 * Where `"model": …` stands, if it stands once: then it is the answer's own, because a quote inside a
 * JSON string is escaped. This finds it at the speed of a string search.
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

export function producedTexts(produced: ProducedJson | undefined): string[] {
  const texts = [produced?.content, produced?.refusal, produced?.reasoning_content];
  for (const call of produced?.tool_calls ?? []) texts.push(call.function?.name, call.function?.arguments);
  return texts.filter((text): text is string => typeof text === 'string' && text !== '');
}

export function decodeByteString(text: string): string {
  return Buffer.from(text, 'latin1').toString('utf8');
}

function parseObject(body: string): ChatAnswerJson | null {
  try {
    const json: unknown = JSON.parse(body);
    return typeof json === 'object' && json !== null ? (json as ChatAnswerJson) : null;
  } catch {
    return null;
  }
}
