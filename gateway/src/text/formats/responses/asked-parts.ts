/** Reads what a responses request asks for that has a price of its own. Pure. */
import type { ResponsesRequest } from '../../../contract/responses.ts';
import { type Json, textOf } from '../../../json/read-json.ts';
import type { AskedPart } from '../../../pricing/asked-parts.ts';
import { askedAudio, askedCacheOptions, askedTierPart, askedTools } from '../../asked-parts.ts';

export function responsesAskedParts(
  request: ResponsesRequest,
  { cacheWrites }: { cacheWrites: boolean },
): readonly AskedPart[] {
  const { service_tier, tools, input } = request as Json;
  return [
    ...askedTierPart(service_tier, 'service_tier'),
    ...askedTools(tools, hostedKind),
    ...askedAudio(input, 'input'),
    ...(cacheWrites ? askedCacheOptions(request as Json) : []),
  ];
}

/** Tools that the caller runs, and those whose use costs tokens only. */
const withoutFee = new Set([
  ...['function', 'custom', 'namespace', 'mcp', 'tool_search', 'computer', 'computer_use_preview'],
  ...['local_shell', 'shell', 'apply_patch'],
]);

function hostedKind({ type }: Json): string | null {
  const kind = textOf(type);
  if (kind === '' || withoutFee.has(kind)) return null;
  // Such as `web_search_preview_2025_03_11`.
  return kind.startsWith('web_search') ? 'web_search' : kind;
}
