import type { PricedFile } from '../price-sheets/price-entry.ts';
import type { ModelEntry } from './model-entry.ts';
import type { ProviderEntry } from './provider-entry.ts';

/** The parts of `tollgate.yaml` that the catalogue is built from. */
export interface CatalogFile extends PricedFile {
  readonly providers: Readonly<Record<string, ProviderEntry>>;
  readonly models: Readonly<Record<string, ModelEntry>>;
  readonly aliases?: Readonly<Record<string, string>>;
}
