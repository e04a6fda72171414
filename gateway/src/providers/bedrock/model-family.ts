/**
 * The makers of models on Bedrock. Converse is one protocol, but what it has no field for goes to a model in a field of
 * its maker's protocol. Pure.
 */
export type BedrockFamily = 'claude' | 'nova' | 'other';

const families: ReadonlyArray<readonly [BedrockFamily, RegExp]> = [
  ['claude', /(?:^|[./])anthropic\./],
  ['nova', /(?:^|[./])amazon\.nova/],
];

/** By the id of a model or of an inference profile, with or without a region. */
export function familyOf(upstreamModel: string): BedrockFamily {
  return families.find(([, pattern]) => pattern.test(upstreamModel))?.[0] ?? 'other';
}
