/** How a provider is named in traces. */
import { type Dialect, dialectFacts, vendorFacts } from '../catalog/dialects/dialects.ts';
import type { ProviderSettings } from '../catalog/provider-settings.ts';

export interface ProviderIdentity {
  /** The name in the configuration. */
  readonly name: string;
  /** The name in OpenTelemetry's semantic conventions; the name in the configuration where they have none. */
  readonly system: string;
  readonly address: string;
  readonly port: number;
  /** Whether the provider gets the `traceparent` header. */
  readonly propagates: boolean;
}

export function identityOf(settings: ProviderSettings<string>): ProviderIdentity {
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
