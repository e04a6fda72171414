/** Whose prices a provider of the catalogue has. Pure. */
import type { ProviderEntry } from '../provider-entry.ts';

const byHost: ReadonlyArray<readonly [host: string, family: string]> = [
  ['api.openai.com', 'openai'],
  ['api.x.ai', 'xai'],
  ['api.groq.com', 'groq'],
  ['api.mistral.ai', 'mistral'],
  ['api.deepseek.com', 'deepseek'],
  ['openrouter.ai', 'openrouter'],
  ['api.together.xyz', 'together'],
  ['api.fireworks.ai', 'fireworks'],
  ['api.cerebras.ai', 'cerebras'],
  ['api.perplexity.ai', 'perplexity'],
];

const byDialect: Partial<Record<ProviderEntry['dialect'], string>> = {
  openai: 'openai',
  'openai-responses': 'openai',
  'azure-openai': 'azure',
  anthropic: 'anthropic',
  google: 'google',
  bedrock: 'bedrock',
};

/** By its vendor, its host, its dialect, or else its own name. Null for the simulator, which has no real prices. */
export function providerFamily(name: string, entry: ProviderEntry): string | null {
  if (entry.simulated) return null;
  if (entry.vendor !== undefined && byHost.some(([, family]) => family === entry.vendor)) return entry.vendor;
  const host = URL.canParse(entry.base_url) ? new URL(entry.base_url).hostname : '';
  const known = byHost.find(([one]) => host === one || host.endsWith(`.${one}`))?.[1];
  return known ?? byDialect[entry.dialect] ?? name;
}
