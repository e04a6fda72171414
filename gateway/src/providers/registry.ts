/** Creates providers from their settings. */
import { isDeepStrictEqual } from 'node:util';
import { type Dialect, dialectFacts, vendorFacts } from '../catalog/dialects/dialects.ts';
import type { ProviderSettings } from '../catalog/provider-settings.ts';
import type { DialectAdapter, DialectAdapters } from './dialect-adapter.ts';
import type { Provider, ProviderTools } from './provider.ts';

interface Entry<Name extends string> {
  readonly settings: ProviderSettings<Name>;
  /** One for each key. */
  readonly providers: readonly Provider[];
  readonly identity: ProviderIdentity;
}

export class ProviderRegistry<Name extends string = Dialect> {
  readonly #tools: ProviderTools;
  readonly #adapters: DialectAdapters<Name>;
  #providers = new Map<string, Entry<Name>>();

  constructor(tools: ProviderTools, adapters: DialectAdapters<Name>) {
    this.#tools = tools;
    this.#adapters = adapters;
  }

  /** `key`: the number of its key, from 0; files, batches and videos use the first. */
  get(name: string, key = 0): Provider {
    const { providers } = this.#entry(name);
    // A call may have begun with more keys than there are now.
    return providers[key] ?? (providers[0] as Provider);
  }

  /** How the provider is named in traces. */
  traced(name: string): ProviderIdentity {
    return this.#entry(name).identity;
  }

  #entry(name: string): Entry<Name> {
    const entry = this.#providers.get(name);
    if (entry === undefined) throw new Error(`no provider ${name}`);
    return entry;
  }

  /**
   * Applies new settings. A provider whose settings did not change keeps its connections. Returns the providers
   * that were replaced or removed; the caller closes them when no call uses them any more.
   */
  replace(settings: ReadonlyArray<ProviderSettings<Name>>): Provider[] {
    const before = this.#providers;
    this.#tools.mask.learn(settings);
    this.#providers = new Map(
      settings.map((wanted) => {
        const kept = before.get(wanted.name);
        const same = kept !== undefined && isDeepStrictEqual(comparable(kept.settings), comparable(wanted));
        return [wanted.name, same ? kept : this.#create(wanted)];
      }),
    );
    return [...before.values()]
      .filter((entry) => this.#providers.get(entry.settings.name) !== entry)
      .flatMap((entry) => entry.providers);
  }

  /** The body of an error answer as operators may see it: masked and short. */
  shownError(body: Buffer): string {
    return this.#tools.mask.shown(body);
  }

  async close(): Promise<void> {
    await Promise.all(this.replace([]).map((provider) => provider.close()));
  }

  #create(settings: ProviderSettings<Name>): Entry<Name> {
    const adapter = this.#adapters[settings.dialect] as DialectAdapter<Name>;
    const keys = [settings.apiKey, ...(settings.moreKeys ?? [])];
    const providers = keys.map((apiKey) => adapter.create({ ...settings, apiKey }, this.#tools));
    return { settings, providers, identity: identityOf(settings) };
  }
}

/** A Secret hides its value from comparison too, so it is revealed for that moment only. */
function comparable(settings: ProviderSettings<string>): object {
  const { apiKey, moreKeys = [] } = settings;
  return { ...settings, apiKey: apiKey.reveal(), moreKeys: moreKeys.map((key) => key.reveal()) };
}

/** How a provider is named in traces. */
interface ProviderIdentity {
  /** The name in the configuration. */
  readonly name: string;
  /** The name in OpenTelemetry's semantic conventions; the name in the configuration where they have none. */
  readonly system: string;
  readonly address: string;
  readonly port: number;
  /** Whether the provider gets the `traceparent` header. */
  readonly propagates: boolean;
}

function identityOf(settings: ProviderSettings<string>): ProviderIdentity {
  const { name, vendor, baseUrl, propagateTrace = false } = settings;
  const dialect = settings.dialect as Dialect;
  const { hostname, port, protocol } = new URL(baseUrl);
  return {
    name,
    system: vendorFacts(dialect, vendor)?.system ?? dialectFacts[dialect]?.system ?? name,
    address: hostname,
    port: Number(port) || (protocol === 'https:' ? 443 : 80),
    propagates: propagateTrace,
  };
}
