/** Reads a whole chat completion. Pure. */
import { type Json, listOf, objectOf, parseObject, textOf } from '../../../json/read-json.ts';
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
    const { name, text, isText } = readCalledTool(call);
    const kind = isText ? ({ isText: true } as const) : {};
    parts.push({ type: 'tool_call', id: textOf(call.id), name, arguments: text, proof: null, ...kind });
  }
  for (const image of listOf(message.images)) parts.push(...readChatImage(image));
  return parts;
}

/** A tool that takes a text has it as `input`; others have arguments. */
export function readCalledTool(call: Json): { name: string; text: string; isText: boolean } {
  const isText = call.custom !== undefined && call.custom !== null;
  const { name, input, arguments: args } = objectOf(isText ? call.custom : call.function);
  return { name: textOf(name), text: textOf(isText ? input : args), isText };
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
