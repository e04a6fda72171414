/** Reads what a chat request asks for that has a price of its own. Pure. */
import type { ChatRequest } from '../../../contract/chat.ts';
import { type Json, listOf, objectOf, textOf } from '../../../json/read-json.ts';
import type { AskedPart } from '../../../pricing/asked-parts.ts';
import {
  askedAudio,
  askedCache,
  askedCacheOptions,
  askedTierPart,
  askedTools,
  relayed,
} from '../../asked-parts.ts';

export function chatAskedParts(
  request: ChatRequest,
  { cacheWrites }: { cacheWrites: boolean },
): readonly AskedPart[] {
  const { service_tier, tools } = request as Json;
  return [
    ...askedTierPart(service_tier, 'service_tier'),
    ...askedTools(tools, hostedKind),
    ...askedSearch(request as Json),
    ...audioOut(request as Json),
    ...askedAudio(request.messages, 'messages'),
    ...(cacheWrites ? [...askedCacheOptions(request as Json), ...askedCache(markedPlaces(request))] : []),
  ];
}

function hostedKind({ type }: Json): string | null {
  return type === 'function' || type === 'custom' || type === undefined ? null : textOf(type);
}

/** The fields with which servers of this protocol are asked to search. */
function askedSearch({ web_search_options, search_parameters, plugins }: Json): AskedPart[] {
  const asked: AskedPart[] = [];
  if ((web_search_options ?? null) !== null) asked.push(relayed('tool.web_search', 'web_search_options'));
  if ((search_parameters ?? null) !== null && objectOf(search_parameters).mode !== 'off')
    asked.push(relayed('tool.web_search', 'search_parameters'));
  if (listOf(plugins).length > 0) asked.push(relayed('tool.web_search', 'plugins'));
  return asked;
}

function audioOut({ modalities, audio }: Json): AskedPart[] {
  if (Array.isArray(modalities) && modalities.includes('audio'))
    return [relayed('audio_output', 'modalities')];
  return (audio ?? null) === null ? [] : [relayed('audio_output', 'audio')];
}

function* markedPlaces({ messages, tools }: ChatRequest): Iterable<readonly [unknown, string]> {
  for (const [i, message] of messages.entries()) {
    yield [message, `messages[${i}].`];
    if (!Array.isArray(message.content)) continue;
    for (const [j, part] of message.content.entries()) yield [part, `messages[${i}].content[${j}].`];
  }
  for (const [i, tool] of listOf(tools).entries()) yield [tool, `tools[${i}].`];
}
