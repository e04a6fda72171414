/** A model as the catalogue describes it: what it can do, what it costs, where it is found. */
import type { Capability } from '../contract/models.ts';
import type { Secret } from '../kernel/secret.ts';
import type { ModelPrice } from '../pricing/price.ts';

/** The endpoint families a model can be called on. */
export type ModelEndpoint = 'chat';

export const endpointPaths: Record<ModelEndpoint, string> = { chat: '/v1/chat/completions' };

/** One way to reach a model. Lower priority numbers are tried first; weights share the load. */
export interface Route {
  readonly id: string;
  readonly provider: string;
  readonly upstreamModel: string;
  readonly priority: number;
  readonly weight: number;
}

export interface Model {
  readonly code: string;
  readonly createdSeconds: number;
  readonly endpoints: ReadonlySet<ModelEndpoint>;
  readonly capabilities: ReadonlySet<Capability>;
  readonly supportsBatch: boolean;
  readonly contextTokens: number | null;
  readonly outputTokensMax: number | null;
  /** Names of the spaces that see it; null is all of them. */
  readonly spaces: ReadonlySet<string> | null;
  readonly price: ModelPrice | null;
  /** Of the sheet the price stands on: a call keeps both, whatever is reloaded meanwhile. */
  readonly priceVersion: string;
  readonly routes: readonly Route[];
}

/** How to speak to a provider. */
export interface ProviderSettings {
  readonly name: string;
  readonly dialect: 'openai';
  readonly baseUrl: string;
  readonly apiKey: Secret;
  readonly simulated: boolean;
}
