/**
 * Finds out whether a provider may have run a tool of its own. The format does not show its calls one by one, so without
 * usage they cannot be counted. Pure.
 */
import { type Json, listOf, objectOf } from '../../../json/read-json.ts';
import type { UsageDetails } from '../../../pricing/usage.ts';
import { servedTier, UNCOUNTED_TOOLS, usageDetails } from '../../../pricing/usage-details.ts';

/** Whether the request lets the provider search, or run another tool that is not the caller's. */
export function offersHostedTool(request: object): boolean {
  const { web_search_options, search_parameters, plugins, tools } = request as Json;
  const isOwn = ({ type }: Json): boolean => type === 'function' || type === 'custom';
  return (
    (web_search_options ?? null) !== null ||
    ((search_parameters ?? null) !== null && objectOf(search_parameters).mode !== 'off') ||
    listOf(plugins).length > 0 ||
    !listOf(tools).every(isOwn)
  );
}

/** Whether an answer, a message or a part of one names sources that the provider found. */
export function citesSources({ annotations, citations, search_results }: Json): boolean {
  return [annotations, citations, search_results].some((list) => Array.isArray(list) && list.length > 0);
}

/** What an answer shows whose usage is missing or cannot be true. */
export function seenChatDetails(answer: {
  usage: unknown;
  tier: unknown;
  /** Whether tools of the provider may have run. */
  hosted: boolean;
}): UsageDetails | undefined {
  const searches = objectOf(objectOf(answer.usage).server_tool_use).web_search_requests;
  const counted = typeof searches === 'number' && searches > 0;
  return usageDetails({
    tools: counted ? { web_search: searches } : undefined,
    tier: servedTier(answer.tier),
    unknown: answer.hosted && !counted ? UNCOUNTED_TOOLS : undefined,
  });
}
