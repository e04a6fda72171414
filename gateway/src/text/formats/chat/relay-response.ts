/** A provider's whole chat answer on its way to the caller. */
import { estimatedCost } from '../../../contract/cost.ts';
import { locateFields, replaceFields } from '../../../kernel/json.ts';
import type { Units } from '../../../kernel/units.ts';
import type { Usage } from '../../../pricing/usage.ts';
import { readChatUsage } from './read-usage.ts';

export interface ChatAnswer {
  readonly bytes: Buffer;
  readonly usage: Usage | null;
  readonly finishReason: string | null;
  /** Everything the model wrote, for counting where the provider did not. */
  texts(): string[];
}

interface ChatAnswerJson {
  choices?: Array<{ message?: ProducedJson; finish_reason?: string }>;
  usage?: unknown;
}

export interface ProducedJson {
  content?: unknown;
  refusal?: unknown;
  reasoning_content?: unknown;
  tool_calls?: Array<{ function?: { name?: string; arguments?: string } }>;
}

/** Null when the bytes are not a chat completion. */
export function readChatAnswer(bytes: Buffer): ChatAnswer | null {
  const json = parseObject(bytes);
  if (json === null || !Array.isArray(json.choices)) return null;
  const { choices } = json;
  return {
    bytes,
    usage: readChatUsage(json.usage),
    finishReason: choices[0]?.finish_reason ?? null,
    texts: () => choices.flatMap((choice) => producedTexts(choice.message)),
  };
}

/** The same bytes with our model code and the cost. */
export function relayChatAnswer(answer: ChatAnswer, shown: { model: string; cost: Units | null }): Buffer {
  return replaceFields(
    { bytes: answer.bytes, fields: locateFields(answer.bytes) },
    { model: JSON.stringify(shown.model), estimated_cost: JSON.stringify(estimatedCost(shown.cost)) },
  );
}

export function producedTexts(produced: ProducedJson | undefined): string[] {
  const texts = [produced?.content, produced?.refusal, produced?.reasoning_content];
  for (const call of produced?.tool_calls ?? []) texts.push(call.function?.name, call.function?.arguments);
  return texts.filter((text): text is string => typeof text === 'string' && text !== '');
}

function parseObject(bytes: Buffer): ChatAnswerJson | null {
  try {
    const json: unknown = JSON.parse(bytes.toString('utf8'));
    return typeof json === 'object' && json !== null ? (json as ChatAnswerJson) : null;
  } catch {
    return null;
  }
}
