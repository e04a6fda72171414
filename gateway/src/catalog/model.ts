/** A model as the catalogue describes it: what it can do, what it costs, where it is found. */
import type { Capability } from '../contract/models.ts';
import type { Secret } from '../kernel/secret.ts';
import type { ModelPrice } from '../pricing/price.ts';
import type { HttpVideoSettings } from './http-video.ts';

/** The endpoint families a model can be called on. */
export const modelEndpoints = ['chat', 'responses', 'messages', 'embeddings', 'images', 'video'] as const;
export type ModelEndpoint = (typeof modelEndpoints)[number];

export const endpointPaths: Record<ModelEndpoint, readonly string[]> = {
  chat: ['/v1/chat/completions'],
  responses: ['/v1/responses'],
  messages: ['/v1/messages'],
  embeddings: ['/v1/embeddings'],
  images: ['/v1/images/generations', '/v1/images/edits'],
  video: ['/v1/video/generations'],
};

/** Those that lines of a batch can be for. */
export const batchEndpoints = ['chat', 'responses', 'embeddings'] as const satisfies ModelEndpoint[];
export type BatchEndpoint = (typeof batchEndpoints)[number];

export const batchEngineNames = ['own', 'provider'] as const;
export type BatchEngineName = (typeof batchEngineNames)[number];

/** What a model that embeds takes in one call; null is as much as its provider takes. */
export interface EmbeddingLimits {
  readonly inputTokensMax: number | null;
  readonly inputsMax: number | null;
  readonly totalTokensMax: number | null;
}

/** What a model that makes images can be asked for; null leaves it to its provider. */
export interface ImageOptions {
  readonly sizes: readonly string[] | null;
  readonly qualities: readonly string[] | null;
  readonly backgrounds: readonly string[] | null;
  /** What its provider makes where a caller does not choose; null where that is not known. */
  readonly sizeDefault: string | null;
  readonly qualityDefault: string | null;
  readonly imagesMax: number;
}

/** The pictures, films and sounds that a video can begin from. */
export const videoInputs = ['image', 'last_frame', 'references', 'video', 'audio'] as const;
export type VideoInput = (typeof videoInputs)[number];

/** What a model that makes videos can be asked for; null leaves it to its provider. */
export interface VideoOptions {
  readonly seconds: readonly number[] | null;
  /** How long a video is when the caller does not say; it is then asked of the provider by name. */
  readonly secondsDefault: number | null;
  readonly resolutions: readonly string[] | null;
  readonly aspectRatios: readonly string[] | null;
  readonly inputs: ReadonlySet<VideoInput>;
  readonly referencesMax: number;
  readonly videosMax: number;
}

/** The protocols that providers speak. */
export const dialects = [
  'openai',
  'openai-compatible',
  'openai-responses',
  'azure-openai',
  'anthropic',
  'google',
  'bedrock',
  'http-video',
] as const;
export type Dialect = (typeof dialects)[number];

/** Those in which batches can be handed on; whether a server has them is for its operator to know. */
export const batchDialects: readonly Dialect[] = [
  'openai',
  'openai-compatible',
  'openai-responses',
  'azure-openai',
  'anthropic',
];

/** Servers that speak OpenAI's chat protocol with small differences. */
export const vendorNames = [
  'vllm',
  'ollama',
  'llama.cpp',
  'groq',
  'mistral',
  'deepseek',
  'openrouter',
] as const;
export type Vendor = (typeof vendorNames)[number];

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
  /** Where the lines of its batches run: in our workers, or in a batch of its provider's. */
  readonly batchEngine: BatchEngineName;
  /** A tool that every line of a batch must bring along. */
  readonly batchRequires: 'web_search' | null;
  readonly contextTokens: number | null;
  readonly outputTokensMax: number | null;
  /** The chat field in which the model takes its output cap; null takes what the caller wrote. */
  readonly outputCapField: 'max_tokens' | 'max_completion_tokens' | null;
  readonly embedding: EmbeddingLimits;
  readonly image: ImageOptions;
  readonly video: VideoOptions;
  /** Names of the spaces that see it; null is all of them. */
  readonly spaces: ReadonlySet<string> | null;
  readonly price: ModelPrice | null;
  /** Of the sheet the price stands on: a call keeps both, whatever is reloaded meanwhile. */
  readonly priceVersion: string;
  readonly routes: readonly Route[];
}

/** How to reach a provider and which dialect it speaks. */
export interface ProviderSettings<Name extends string = Dialect> {
  readonly name: string;
  readonly dialect: Name;
  readonly vendor: Vendor | null;
  readonly baseUrl: string;
  readonly apiKey: Secret;
  /** For clouds with several regions; null elsewhere. */
  readonly region: string | null;
  /** Only for the dialect `bedrock`: the profile of the AWS configuration to take credentials from. */
  readonly awsProfile?: string;
  readonly simulated: boolean;
  /** Only for the dialect `http-video`: how its HTTP interface works. */
  readonly video?: HttpVideoSettings;
}
