/** What the folder of a dialect declares: what it does over the network. Its other facts are in `catalog/dialects/`. */
import type { Dialect } from '../catalog/dialects/dialects.ts';
import type { ProviderSettings } from '../catalog/provider-settings.ts';
import type { ProbeProvider } from './probe-provider.ts';
import type { Provider, ProviderTools } from './provider.ts';

export interface DialectAdapter<Name extends string = Dialect> {
  create(settings: ProviderSettings<Name>, tools: ProviderTools): Provider;
  /** Whether the key and the address of a provider are right. */
  readonly probe: ProbeProvider;
}

/** An adapter for every dialect: a name without one does not compile. */
export type DialectAdapters<Name extends string = Dialect> = {
  readonly [Each in Name]: DialectAdapter<Each>;
};
