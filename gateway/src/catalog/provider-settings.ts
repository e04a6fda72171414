/** How to reach a provider and which dialect it speaks. */
import type { Secret } from '../kernel/secret.ts';
import type { Dialect, OwnSettings, Vendor } from './dialects/dialects.ts';

export interface ProviderSettings<Name extends string = Dialect> extends OwnSettings {
  readonly name: string;
  readonly dialect: Name;
  readonly vendor: Vendor | null;
  readonly baseUrl: string;
  readonly apiKey: Secret;
  /** Further keys of the same account; absent: none. */
  readonly moreKeys?: readonly Secret[];
  /** For clouds with several regions; null elsewhere. */
  readonly region: string | null;
  readonly simulated: boolean;
  /** Whether calls carry the `traceparent` header; absent: no. */
  readonly propagateTrace?: boolean;
}
