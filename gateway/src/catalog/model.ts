/** A model in the catalogue: capabilities, price and routes. */
import type { Capability } from '../contract/models.ts';
import type { ModelEndpoint } from '../contract/paid-endpoints.ts';
import type { MarkupRule } from '../pricing/markup.ts';
import type { PriceList } from '../pricing/model-price.ts';
import type { ProviderPrices } from '../pricing/provider-cost.ts';
import type { ModelTraits } from './model-traits.ts';

export const batchEngineNames = ['own', 'provider'] as const;
export type BatchEngineName = (typeof batchEngineNames)[number];

/** Limits of an embeddings call; null: the provider decides. */
export interface EmbeddingLimits {
  readonly inputTokensMax: number | null;
  readonly inputsMax: number | null;
  readonly totalTokensMax: number | null;
}

/** Options of an image model; null: the provider decides. */
export interface ImageOptions {
  readonly sizes: readonly string[] | null;
  readonly qualities: readonly string[] | null;
  readonly backgrounds: readonly string[] | null;
  /** What the provider uses if the caller does not choose; null if unknown. */
  readonly sizeDefault: string | null;
  readonly qualityDefault: string | null;
  readonly imagesMax: number;
}

/** The media inputs of a video. */
export const videoInputs = ['image', 'last_frame', 'references', 'video', 'audio'] as const;
export type VideoInput = (typeof videoInputs)[number];

/** Options of a video model; null: the provider decides. */
export interface VideoOptions {
  readonly seconds: readonly number[] | null;
  /** The default length of a video, which is sent to the provider explicitly. */
  readonly secondsDefault: number | null;
  readonly resolutions: readonly string[] | null;
  readonly aspectRatios: readonly string[] | null;
  readonly inputs: ReadonlySet<VideoInput>;
  readonly referencesMax: number;
  readonly videosMax: number;
}

/** `sticky`: a conversation stays on its route. The others choose for each call. */
export const routeStrategies = ['sticky', 'least_busy', 'lowest_latency'] as const;
export type RouteStrategy = (typeof routeStrategies)[number];

/** Why a call is sent to another model. */
export const fallbackReasons = ['context_length', 'outage', 'rate_limit', 'refusal'] as const;
export type FallbackReason = (typeof fallbackReasons)[number];

/** Another model that answers instead. */
export interface ModelFallback {
  readonly model: string;
  readonly on: ReadonlySet<FallbackReason>;
}

/** One way to reach a model. Lower priority numbers are tried first; weights share the load. */
export interface UpstreamRoute {
  readonly id: string;
  readonly provider: string;
  readonly upstreamModel: string;
  readonly priority: number;
  readonly weight: number;
  /** What conversations are assigned to routes by; stays the same when other routes are added or moved. */
  readonly hashKey: string;
  /** How many keys its provider has; absent: one. */
  readonly keys?: number;
  /** Calls of this process that it takes at the same time; absent: any number. */
  readonly concurrencyMax?: number;
  /** What the provider charges; absent: unknown. */
  readonly billing?: ProviderPrices;
  /** What the model takes there; absent: nothing is known. */
  readonly takes?: ModelTraits;
}

export interface Model {
  readonly code: string;
  readonly createdSeconds: number;
  readonly endpoints: ReadonlySet<ModelEndpoint>;
  readonly capabilities: ReadonlySet<Capability>;
  readonly supportsBatch: boolean;
  /** Where batch lines run: in our workers or in a batch of the provider. */
  readonly batchEngine: BatchEngineName;
  /** A tool that every batch line must use. */
  readonly batchRequires: 'web_search' | null;
  readonly contextTokens: number | null;
  readonly outputTokensMax: number | null;
  /** The chat field in which the model expects the output cap; null: do not change it. */
  readonly outputCapField: 'max_tokens' | 'max_completion_tokens' | null;
  readonly embedding: EmbeddingLimits;
  readonly image: ImageOptions;
  readonly video: VideoOptions;
  /** Names of the spaces that see it; null: all. */
  readonly spaces: ReadonlySet<string> | null;
  /** Empty: the model has no price. */
  readonly prices: PriceList;
  /** Factors on these prices, in the order of their precedence; absent in most catalogues. */
  readonly markups?: readonly MarkupRule[];
  /** The version of the price sheet. A call keeps price and version even if the catalogue is reloaded. */
  readonly priceVersion: string;
  readonly routes: readonly UpstreamRoute[];
  /** Absent: sticky. */
  readonly strategy?: RouteStrategy;
  /** In the order in which they are tried; absent: none. */
  readonly fallbacks?: readonly ModelFallback[];
}
