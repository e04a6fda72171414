/** The ports of a provider. Each provider implements only the ports that it has. */

import type { ModelTraits } from '../catalog/model-traits.ts';
import type { RelayedKind } from '../contract/paid-endpoints.ts';
import type { EmbeddingCall, EmbeddingResult } from '../embeddings/embedding-call.ts';
import type { ImageCall } from '../images/image-call.ts';
import type { OnSseFrame } from '../kernel/framing.ts';
import type { Problem } from '../kernel/problem.ts';
import type { Clock } from '../kernel/time.ts';
import type { Body } from '../net/collect-body.ts';
import type { Proxies } from '../net/proxies.ts';
import type { UpstreamCall, UpstreamHandler } from '../net/upstream-call.ts';
import type { ImageKind } from '../pricing/price.ts';
import type { TextCall } from '../text/text-call.ts';
import type { OnTextEvent, TextStreamReader } from '../text/text-event.ts';
import type { RelayTarget, ShownBody, TextFormatName, WholeAnswer } from '../text/text-format.ts';
import type { TextResult } from '../text/text-result.ts';
import type { AssetProvider } from './asset-provider.ts';
import type { BatchProvider } from './batch-provider.ts';
import type { FieldNames } from './named-field.ts';
import type { ProviderMask } from './provider-mask.ts';
import type { VideoProvider } from './video-provider.ts';

export interface Provider {
  readonly name: string;
  /** True for the simulator, whose answers are invented; a response header says so. */
  readonly simulated: boolean;
  /** The text dialects it speaks; the first is used for translations. */
  readonly texts: readonly TextProvider[];
  /** The kinds of calls whose format it speaks, which are relayed. */
  readonly relays?: Readonly<Record<RelayedKind, RelayProvider>>;
  /** Embeddings in a format of its own. */
  readonly embeddings?: EmbeddingsProvider;
  readonly images?: ImagesProvider;
  /** Batches that the provider runs; see batch-provider.ts. */
  readonly batches?: BatchProvider;
  /** Videos as jobs; see video-provider.ts. */
  readonly videos?: VideoProvider;
  /** Files that calls can refer to; see asset-provider.ts. */
  readonly assets?: AssetProvider;
  close(): Promise<void>;
}

/** Shared by all ports that make calls. */
export interface ProviderApi {
  /** Maps an error answer, or an error object in a stream, to a Problem for the caller. */
  problem(status: number, body: Buffer): Problem;
  /** The tier in which a call was served, if a header of the answer reports it. */
  readonly tierHeader?: string;
}

/**
 * One text dialect: how to send a call, and pure translations between the dialect and neutral calls and
 * answers.
 */
export interface TextProvider extends ProviderApi {
  /**
   * The format of ours that is identical to the dialect, so that calls can be relayed; null if there is none.
   */
  readonly format: TextFormatName | null;
  readonly media: MediaSupport;
  /** Whether a call can ask for this tier; absent: for none but the standard one. */
  readonly takesTier?: (tier: string) => boolean;
  /** What a relayed body must change for this provider. */
  readonly relay: Pick<RelayTarget, 'outputCapField' | 'asksUsage'>;
  send(request: TextSend, handler: UpstreamHandler): UpstreamCall;
  /** The request body. Throws CannotCarry for a field that the dialect does not support. */
  writeRequest(call: TextCall, target: TextTarget): object;
  /** The dialect's names of neutral fields, as they are in its errors; absent: its errors name none. */
  readonly fields?: FieldNames;
  /** Null when the body is not an answer of this dialect. */
  readAnswer(body: Buffer, reading: AnswerReading): TextResult | null;
  readStream(reading: AnswerReading, emit: OnTextEvent): TextStreamReader;
  /** Splits streams that are not server-sent events into frames. Throws FrameTooLong. */
  readonly framing?: (onFrame: OnSseFrame, bytesMax: number) => { push(chunk: Buffer): void };
  /** Counts the tokens of a prompt, if the dialect can. The body is in its own format. */
  readonly countTokens?: (request: TextSend, handler: UpstreamHandler) => UpstreamCall;
}

/** What the call says about its answer. */
export interface AnswerReading {
  /** Ids that a provider does not send are derived from it. */
  readonly callId: string;
  /** False: the caller allowed no tool call, so none is shown. */
  readonly mayCallTools: boolean;
}

/** How images and files can be sent in this dialect. */
export interface MediaSupport {
  /** Limits for one file and for all files in a body, before base64. */
  readonly oneBytesMax: number;
  readonly allBytesMax: number;
  /** Whether the provider fetches URLs. */
  readonly fetches: boolean;
  /** What can be sent as the id of a file that the provider stores. */
  readonly names: readonly ('image' | 'file')[];
  /** The `anthropic-beta` value that calls with file ids need. */
  readonly namesBeta?: string;
}

export interface TextSend {
  /** Some dialects have these two in the URL. */
  readonly upstreamModel: string;
  readonly stream: boolean;
  /** Large bodies are lists of pieces, which are not joined. */
  readonly body: Buffer | readonly Buffer[];
  /**
   * The caller's `anthropic-beta` header, the only header that is passed on, and only to Anthropic's dialect.
   */
  readonly beta: string | null;
}

/** The catalogue settings that a request body depends on. */
export interface TextTarget {
  readonly upstreamModel: string;
  readonly outputTokensMax: number | null;
  readonly outputCapField: 'max_tokens' | 'max_completion_tokens' | null;
  /** What the model takes. Calls that are written for it have only that. */
  readonly takes: ModelTraits;
  /** Whether the model can answer with images. */
  readonly makesImages: boolean;
  /** Whether the model holds answers and arguments to a schema; absent: no. */
  readonly structured?: boolean;
  /** The requested aspect ratio of images, such as `3:2`. */
  readonly imageAspect?: string;
}

/** Image generation and editing. Answers are not streamed. */
export interface ImagesProvider extends ProviderApi {
  /** The request body. Throws a Problem for a field that the dialect does not support. */
  writeRequest(call: ImageCall, upstreamModel: string): ImageSend;
  send(request: ImageSend, handler: UpstreamHandler): UpstreamCall;
  /** Null when the body is not an answer of this dialect; a Problem when it has no images. */
  readAnswer(body: Body, context: ImageAnswerContext): WholeAnswer<ShownBody> | Problem | null;
}

export interface ImageSend {
  readonly kind: ImageCall['kind'];
  readonly upstreamModel: string;
  /** Large bodies are lists of pieces, which are not joined. */
  readonly body: Buffer | readonly Buffer[];
  readonly contentType: string;
}

/** A whole answer in the pieces it came in, so that translators need not import net/. */
export type AnswerBody = Body;

/** Data for an image answer that does not come from the provider. */
export interface ImageAnswerContext {
  readonly callId: string;
  /** The model code that the caller used. */
  readonly model: string;
  readonly createdSeconds: number;
  readonly asked: ImageKind;
}

/** Calls in our own format: how to send one. */
export interface RelayProvider extends ProviderApi {
  send(request: RelaySend, handler: UpstreamHandler): UpstreamCall;
}

/** Embeddings: how to send a call and translate it. */
export interface EmbeddingsProvider extends RelayProvider {
  /** Absent: the provider speaks the format of `/v1/embeddings`, so that calls are relayed. */
  readonly translation?: EmbeddingTranslation;
}

export interface EmbeddingTranslation {
  /** Throws a Problem for a field that the dialect does not support. */
  writeRequest(call: EmbeddingCall, target: { upstreamModel: string }): object;
  /** Null when the body is not an answer of this dialect. */
  readAnswer(body: Buffer): EmbeddingResult | null;
}

export interface RelaySend {
  readonly upstreamModel: string;
  readonly body: Buffer;
}

/** What a provider needs for HTTP requests. */
export interface ProviderTools {
  readonly clock: Clock;
  readonly connectTimeoutMs: number;
  readonly silenceTimeoutMs: number;
  /** Total timeout for a request that is not a caller's call. */
  readonly callTotalMs: number;
  /** Total timeout for a request that transfers a file. */
  readonly transferTotalMs: number;
  /** Masks the providers' error messages. */
  readonly proxies?: Proxies;
  readonly mask: ProviderMask;
}
