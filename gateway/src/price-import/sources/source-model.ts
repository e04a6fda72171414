/** What every price source is read into: models with their prices, and what of them a price sheet cannot express. */

import type { Effort } from '../../catalog/model-traits.ts';
import type { Capability } from '../../contract/models.ts';
import type { PriceEntry } from '../../price-sheets/price-entry.ts';

export const sourceKinds = ['genai-prices', 'litellm', 'csv'] as const;
export type SourceKind = (typeof sourceKinds)[number];

export interface SourceModel {
  /** By the name that `providerFamily` has for it. */
  readonly provider: string;
  readonly id: string;
  /** Whether the source means this upstream model, too. */
  readonly matches: (upstreamModel: string) => boolean;
  /** In the order of their dates. The first has no `from`. */
  readonly entries: readonly PriceEntry[];
  readonly facts: ModelFacts;
  /** What the source has and the price sheet cannot express. */
  readonly notes: readonly string[];
}

/** Null or empty: the source does not say. */
export interface ModelFacts {
  readonly contextTokens: number | null;
  readonly outputTokensMax: number | null;
  readonly capabilities: readonly Capability[];
  readonly takes?: SourceTakes;
}

/** What the source says that the model takes in a request, or does not; absent: it does not say. */
export interface SourceTakes {
  readonly adaptiveThinking?: boolean;
  readonly sampling?: boolean;
  readonly prefill?: boolean;
  readonly efforts?: Readonly<Partial<Record<Effort, boolean>>>;
}

export const noFacts: ModelFacts = { contextTokens: null, outputTokensMax: null, capabilities: [] };

/** The model of a provider: by its name, else by the names that the source matches. */
export function findSourceModel(
  models: readonly SourceModel[],
  provider: string,
  upstreamModel: string,
): SourceModel | null {
  const own = models.filter((model) => model.provider === provider);
  const named = own.find(({ id }) => id === upstreamModel);
  return named ?? own.find(({ matches }) => matches(upstreamModel)) ?? null;
}
