/** Reads what a messages request asks for that has a price of its own. Pure. */
import type { MessagesRequest } from '../../../contract/messages.ts';
import { type Json, listOf, textOf } from '../../../json/read-json.ts';
import type { AskedPart } from '../../../pricing/asked-parts.ts';
import { askedCache, askedGeo, askedTierPart, askedTools, relayed } from '../../asked-parts.ts';

export function messagesAskedParts(
  request: MessagesRequest,
  { cacheWrites }: { cacheWrites: boolean },
): readonly AskedPart[] {
  const { service_tier, speed, inference_geo, tools } = request as Json;
  return [
    ...withSpeed(askedTierPart(service_tier, 'service_tier'), askedTierPart(speed, 'speed')),
    ...askedGeo(inference_geo, 'inference_geo'),
    ...askedTools(tools, hostedKind),
    ...(cacheWrites ? askedCache(markedPlaces(request)) : []),
  ];
}

/** Both together are one tier, as in the usage of answers. */
function withSpeed([tier]: readonly AskedPart[], [speed]: readonly AskedPart[]): AskedPart[] {
  if (tier === undefined || speed === undefined) return [tier ?? speed ?? []].flat();
  return [relayed(`${tier.part as `tier:${string}`}_${speed.part.slice('tier:'.length)}`, 'speed')];
}

/** Tools that the caller runs, and those whose use costs tokens only. */
const withoutFee = new Set([
  ...['', 'custom', 'bash', 'text_editor', 'computer', 'memory', 'web_fetch', 'tool_search_tool'],
  ...['tool_search_tool_regex', 'tool_search_tool_bm25', 'mcp_toolset'],
]);

function hostedKind({ type }: Json): string | null {
  // Such as `web_search_20250305`.
  const kind = textOf(type).replace(/_\d{8}$/, '');
  return withoutFee.has(kind) ? null : kind;
}

function* markedPlaces(request: MessagesRequest): Iterable<readonly [unknown, string]> {
  yield [request, ''];
  const { system, messages, tools } = request as Json;
  yield* blocksIn(system, 'system');
  for (const [i, { content }] of listOf(messages).entries())
    yield* blocksIn(content, `messages[${i}].content`);
  yield* blocksIn(tools, 'tools');
}

/** A tool result has blocks of its own. */
function* blocksIn(blocks: unknown, path: string): Iterable<readonly [unknown, string]> {
  if (!Array.isArray(blocks)) return;
  for (const [i, block] of blocks.entries()) {
    yield [block, `${path}[${i}].`];
    const { content } = (block ?? {}) as Json;
    if (Array.isArray(content)) yield* blocksIn(content, `${path}[${i}].content`);
  }
}
