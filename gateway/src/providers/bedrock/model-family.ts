/**
 * The makers of models on Bedrock. Converse is one protocol, but what it has no field for goes to a model in a field of
 * its maker's protocol. Pure.
 */
import type { TextTarget } from '../provider.ts';

/** `gpt`: OpenAI's own models. `open`: those with open weights that take an effort. */
export type BedrockFamily = 'claude' | 'nova' | 'gpt' | 'open' | 'other';

const families: ReadonlyArray<readonly [BedrockFamily, RegExp]> = [
  ['claude', /(?:^|[./])anthropic\./],
  ['nova', /(?:^|[./])amazon\.nova/],
  ['open', /(?:^|[./])(?:openai\.gpt-oss|moonshot(?:ai)?\.)/],
  ['gpt', /(?:^|[./])openai\./],
];

/**
 * By the id of a model or of an inference profile, with or without a region. An application inference profile names no
 * model: there the form of its thinking, if the route declares one, shows whether it is Claude.
 */
export function familyOf({
  upstreamModel,
  takes,
}: Pick<TextTarget, 'upstreamModel' | 'takes'>): BedrockFamily {
  const named = families.find(([, pattern]) => pattern.test(upstreamModel))?.[0];
  if (named !== undefined) return named;
  return takes.thinking === 'adaptive' || takes.thinking === 'budget' ? 'claude' : 'other';
}
