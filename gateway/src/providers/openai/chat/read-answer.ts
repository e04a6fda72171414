/** Reads a whole chat completion. Pure. */
import { type Json, listOf, objectOf, parseObject, textOf } from '../../../kernel/json/read-json.ts';
import type { UsageDetails } from '../../../pricing/usage.ts';
import { citesSources, seenChatDetails } from '../../../text/formats/chat/hosted-tools.ts';
import { readMediaUrl } from '../../../text/read-media.ts';
import type { OutputPart } from '../../../text/text-call.ts';
import type { TextResult } from '../../../text/text-result.ts';
import { mapChatFinish } from './map-finish-reason.ts';
import { readChatUsage } from './read-usage.ts';

export function readChatAnswer(body: Buffer): TextResult | null {
  const json = parseObject(body.toString('utf8'));
  if (json === null || !Array.isArray(json.choices) || json.choices.length === 0) return null;
  const usage = readChatUsage(json.usage, json.service_tier);
  return {
    answers: listOf(json.choices).map((choice) => ({
      parts: readMessage(objectOf(choice.message)),
      finish: mapChatFinish(choice),
    })),
    usage,
    ...(usage === null && { seenDetails: seenIn(json) }),
  };
}

function seenIn(json: Json): UsageDetails | undefined {
  const messages = listOf(json.choices).map(({ message }) => objectOf(message));
  const hosted = [json, ...messages].some(citesSources);
  return seenChatDetails({ usage: json.usage, tier: json.service_tier, hosted });
}

function readMessage(message: Json): OutputPart[] {
  const parts: OutputPart[] = [];
  const reasoning = chatReasoning(message);
  if (reasoning !== '') parts.push({ type: 'reasoning', text: reasoning, proof: null });
  if (textOf(message.content) !== '') parts.push({ type: 'text', text: textOf(message.content) });
  if (textOf(message.refusal) !== '') parts.push({ type: 'refusal', text: textOf(message.refusal) });
  for (const call of listOf(message.tool_calls)) {
    const named = objectOf(call.function);
    const args = textOf(named.arguments);
    parts.push({
      type: 'tool_call',
      id: textOf(call.id),
      name: textOf(named.name),
      arguments: args,
      proof: null,
    });
  }
  for (const image of listOf(message.images)) parts.push(...readChatImage(image));
  return parts;
}

/** Servers use different names for this field. */
export function chatReasoning(message: Json): string {
  return textOf(message.reasoning_content) || textOf(message.reasoning);
}

export function readChatImage(image: Json): Array<Extract<OutputPart, { type: 'image' }>> {
  const url = textOf(objectOf(image.image_url).url);
  const source = url.startsWith('data:') ? readMediaUrl(url, 'images') : null;
  return source?.kind === 'data' ? [{ ...source, type: 'image' }] : [];
}
