/** How a provider is named in traces. */
import type { Dialect, ProviderSettings, Vendor } from '../catalog/model.ts';

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

const DIALECTS: Partial<Record<Dialect, string>> = {
  openai: 'openai',
  'openai-responses': 'openai',
  'azure-openai': 'azure.ai.openai',
  anthropic: 'anthropic',
  google: 'gcp.gemini',
  bedrock: 'aws.bedrock',
};
const VENDORS: Partial<Record<Vendor, string>> = {
  groq: 'groq',
  mistral: 'mistral_ai',
  deepseek: 'deepseek',
};

export function identityOf(settings: ProviderSettings<string>): ProviderIdentity {
  const { name, dialect, vendor, baseUrl, propagateTrace = false } = settings;
  const { hostname, port, protocol } = new URL(baseUrl);
  return {
    name,
    system: (vendor !== null && VENDORS[vendor]) || DIALECTS[dialect as Dialect] || name,
    address: hostname,
    port: Number(port) || (protocol === 'https:' ? 443 : 80),
    propagates: propagateTrace,
  };
}
