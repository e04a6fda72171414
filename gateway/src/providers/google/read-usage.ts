/** Reads Gemini's token counts. Null when they are missing or cannot be true. Pure. */
import { isObject, type Json, listOf } from '../../json/read-json.ts';
import { plausibleUsage, type Usage, type UsageDetails } from '../../pricing/usage.ts';
import {
  type KnownFields,
  servedTier,
  UNCOUNTED_TOOLS,
  unknownCounts,
  usageDetails,
  withDetails,
} from '../../pricing/usage-details.ts';

/**
 * Google omits zeros. Reasoning and the results of its own tools are counted separately from output and input.
 * `searches` is the number of queries with which the answer was grounded.
 */
export function readGoogleUsage(json: unknown, searches = 0): Usage | null {
  if (!isObject(json)) return null;
  const count = (value: unknown): number => (value === undefined ? 0 : (value as number));
  const counts: Usage = {
    inputTokens: (json.promptTokenCount as number) + count(json.toolUsePromptTokenCount),
    cachedInputTokens: count(json.cachedContentTokenCount),
    cacheWriteTokens: 0,
    outputTokens: count(json.candidatesTokenCount) + count(json.thoughtsTokenCount),
    reasoningTokens: count(json.thoughtsTokenCount),
  };
  const usage = withDetails(counts, readDetails(json, searches));
  return plausibleUsage(usage) ? usage : null;
}

function readDetails(json: Json, searches: number): UsageDetails | undefined {
  const input = [...listOf(json.promptTokensDetails), ...listOf(json.toolUsePromptTokensDetails)];
  const cached = listOf(json.cacheTokensDetails);
  const output = listOf(json.candidatesTokensDetails);
  return usageDetails({
    imageInputTokens: tokensOf(input, 'IMAGE'),
    audioInputTokens: tokensOf(input, 'AUDIO'),
    cachedImageInputTokens: tokensOf(cached, 'IMAGE'),
    cachedAudioInputTokens: tokensOf(cached, 'AUDIO'),
    imageOutputTokens: tokensOf(output, 'IMAGE'),
    audioOutputTokens: tokensOf(output, 'AUDIO'),
    tools: groundingTools(searches),
    tier: servedTier(json.serviceTier),
    unknown: { ...unknownCounts(json, knownFields), ...unknownKinds([...input, ...output]) },
  });
}

/** Which of the two is charged depends on the model. */
function groundingTools(searches: number): Record<string, number> | undefined {
  return searches === 0 ? undefined : { google_search_prompt: 1, google_search_query: searches };
}

/** What an answer without counts shows. `uncounted`: it was grounded, but does not say with which queries. */
export function seenGoogleDetails(searches: number, uncounted: boolean): UsageDetails | undefined {
  return usageDetails({
    tools: groundingTools(searches),
    unknown: uncounted ? UNCOUNTED_TOOLS : undefined,
  });
}

function tokensOf(details: readonly Json[], modality: string): number {
  let sum = 0;
  for (const one of details) if (one.modality === modality) sum += one.tokenCount as number;
  return sum;
}

/** Video and documents cost what text costs. */
const knownKinds = ['TEXT', 'IMAGE', 'VIDEO', 'AUDIO', 'DOCUMENT', 'MODALITY_UNSPECIFIED'];

function unknownKinds(details: readonly Json[]): Record<string, number> | undefined {
  const unknown = details.filter(({ modality }) => !knownKinds.some((kind) => kind === modality));
  if (unknown.length === 0) return undefined;
  const counts = unknown.map(({ modality, tokenCount }) => [`modality_${String(modality)}`, tokenCount]);
  return unknownCounts(Object.fromEntries(counts), {});
}

const knownFields: KnownFields = {
  promptTokenCount: true,
  candidatesTokenCount: true,
  totalTokenCount: true,
  cachedContentTokenCount: true,
  thoughtsTokenCount: true,
  toolUsePromptTokenCount: true,
  promptTokensDetails: true,
  cacheTokensDetails: true,
  candidatesTokensDetails: true,
  toolUsePromptTokensDetails: true,
};
