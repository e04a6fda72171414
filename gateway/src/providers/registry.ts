/** Makes providers from their settings: one line per dialect. */
import { isDeepStrictEqual } from 'node:util';
import type { ProviderSettings } from '../catalog/model.ts';
import { anthropicProvider } from './anthropic/anthropic.ts';
import { bedrockProvider } from './bedrock/bedrock.ts';
import { googleProvider } from './google/google.ts';
import { httpVideoProvider } from './http-video/http-video.ts';
import { openaiProvider } from './openai/openai.ts';
import type { Provider, ProviderTools } from './provider.ts';

type MakeProvider = (settings: ProviderSettings, tools: ProviderTools) => Provider;

const dialects: Partial<Record<ProviderSettings['dialect'], MakeProvider>> = {
  openai: openaiProvider,
  'openai-compatible': openaiProvider,
  'openai-responses': openaiProvider,
  'azure-openai': openaiProvider,
  anthropic: anthropicProvider,
  google: googleProvider,
  bedrock: bedrockProvider,
  'http-video': httpVideoProvider,
};

export class ProviderRegistry {
  readonly #tools: ProviderTools;
  #providers = new Map<string, { settings: ProviderSettings; provider: Provider }>();

  constructor(tools: ProviderTools) {
    this.#tools = tools;
  }

  get(name: string): Provider {
    const entry = this.#providers.get(name);
    if (entry === undefined) throw new Error(`no provider ${name}`);
    return entry.provider;
  }

  /**
   * Takes over new settings. A provider that did not change keeps its connections; the answer are
   * those that are gone, to be closed when no call uses them any more.
   */
  replace(settings: readonly ProviderSettings[]): Provider[] {
    const before = this.#providers;
    this.#tools.mask.learn(settings);
    this.#providers = new Map(
      settings.map((wanted) => {
        const kept = before.get(wanted.name);
        const same = kept !== undefined && sameSettings(kept.settings, wanted);
        return [wanted.name, same ? kept : { settings: wanted, provider: makeProvider(wanted, this.#tools) }];
      }),
    );
    return [...before.values()]
      .filter((entry) => this.#providers.get(entry.settings.name) !== entry)
      .map((entry) => entry.provider);
  }

  async close(): Promise<void> {
    await Promise.all(this.replace([]).map((provider) => provider.close()));
  }
}

function makeProvider(settings: ProviderSettings, tools: ProviderTools): Provider {
  const make = dialects[settings.dialect];
  if (make === undefined) throw new Error(`no dialect ${settings.dialect}`);
  return make(settings, tools);
}

function sameSettings(a: ProviderSettings, b: ProviderSettings): boolean {
  return (
    a.dialect === b.dialect &&
    a.vendor === b.vendor &&
    a.region === b.region &&
    a.baseUrl === b.baseUrl &&
    a.simulated === b.simulated &&
    isDeepStrictEqual(a.video, b.video) &&
    a.apiKey.reveal() === b.apiKey.reveal()
  );
}
