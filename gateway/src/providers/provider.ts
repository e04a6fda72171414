/** What a provider can be asked for. Each offers what it has; there are no empty methods. */

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
import type { ProviderMask } from './provider-mask.ts';
import type { VideoProvider } from './video-provider.ts';

export interface Provider {
  readonly name: string;
  /** True for the stand-in that invents its answers; callers are told by a header. */
  readonly simulated: boolean;
  /** The text dialects it speaks, the one for translations first. */
  readonly texts: readonly TextProvider[];
  readonly embeddings?: EmbeddingsProvider;
  readonly images?: ImagesProvider;
  /** Batches that it runs itself; see batch-provider.ts. */
  readonly batches?: BatchProvider;
  /** Videos, which are jobs; see video-provider.ts. */
  readonly videos?: VideoProvider;
  /** Files that calls can name; see asset-provider.ts. */
  readonly assets?: AssetProvider;
  close(): Promise<void>;
}

/** What every kind of call to a provider has. */
export interface ProviderApi {
  /** Reads an error answer, or an error object found in a stream, as a Problem for the caller. */
  problem(status: number, body: Buffer): Problem;
}

/** One text dialect: how to send a call, and pure translations from and to the neutral middle. */
export interface TextProvider extends ProviderApi {
  /** The format it speaks itself, whose calls are passed on unread; null is none of ours. */
  readonly format: TextFormatName | null;
  readonly media: MediaWays;
  /** How bodies that are passed on must differ here. */
  readonly relay: Pick<RelayTarget, 'outputCapField' | 'asksUsage'>;
  send(request: TextSend, handler: UpstreamHandler): UpstreamCall;
  /** The body for a call. Throws CannotCarry for what the dialect has no word for. */
  writeRequest(call: TextCall, target: TextTarget): object;
  /** Null when the body is no answer of this dialect. */
  readAnswer(body: Buffer, callId: string): TextResult | null;
  readStream(callId: string, emit: OnTextEvent): TextStreamReader;
  /** Cuts its streams into frames, where they are no server-sent events. Throws FrameTooLong as those do. */
  readonly framing?: (onFrame: OnSseFrame, bytesMax: number) => { push(chunk: Buffer): void };
  /** Counts the tokens of a prompt, where the dialect can; the body is one of its own format. */
  readonly countTokens?: (request: TextSend, handler: UpstreamHandler) => UpstreamCall;
}

/** How pictures and files of ours reach a dialect, beside being in the body of a call. */
export interface MediaWays {
  /** What may be in a body: of one, and of all together, before they become base64. */
  readonly oneBytesMax: number;
  readonly allBytesMax: number;
  /** Whether it fetches what it is given the address of. */
  readonly fetches: boolean;
  /** What it takes by the name of a file that it keeps. */
  readonly names: readonly ('image' | 'file')[];
  /** A word of the `anthropic-beta` header that calls with such names need. */
  readonly namesBeta?: string;
}

export interface TextSend {
  /** Some dialects have these two in the address. */
  readonly upstreamModel: string;
  readonly stream: boolean;
  /** Large bodies come in pieces, which are not joined. */
  readonly body: Buffer | readonly Buffer[];
  /** The caller's `anthropic-beta` header: the one header that is ever passed on, within its dialect. */
  readonly beta: string | null;
}

/** The facts of the catalogue that a body depends on. */
export interface TextTarget {
  readonly upstreamModel: string;
  readonly outputTokensMax: number | null;
  readonly outputCapField: 'max_tokens' | 'max_completion_tokens' | null;
  /** Whether the model makes images beside text. */
  readonly makesImages: boolean;
  /** The shape of those images, such as `3:2`, where it is asked for. */
  readonly imageAspect?: string;
}

/** How images are made and edited. Answers come whole. */
export interface ImagesProvider extends ProviderApi {
  /** The body for a call. Throws a Problem for what the dialect has no word for. */
  writeRequest(call: ImageCall, upstreamModel: string): ImageSend;
  send(request: ImageSend, handler: UpstreamHandler): UpstreamCall;
  /** Null when the body is no answer of this dialect; a Problem when it is one without images. */
  readAnswer(body: Body, context: ImageAnswerContext): WholeAnswer<ShownBody> | Problem | null;
}

export interface ImageSend {
  readonly kind: ImageCall['kind'];
  readonly upstreamModel: string;
  /** Large bodies come in pieces, which are not joined. */
  readonly body: Buffer | readonly Buffer[];
  readonly contentType: string;
}

/** What the answer to a call for images shows or means beside what the provider says. */
export interface ImageAnswerContext {
  readonly callId: string;
  /** The model code the caller knows. */
  readonly model: string;
  readonly createdSeconds: number;
  readonly asked: ImageKind;
}

/** Embeddings: how to send a call, and how it is translated. */
export interface EmbeddingsProvider extends ProviderApi {
  send(request: EmbeddingSend, handler: UpstreamHandler): UpstreamCall;
  /** Null where it speaks the format of `/v1/embeddings` itself, whose calls are passed on unread. */
  readonly translation: EmbeddingTranslation | null;
}

export interface EmbeddingTranslation {
  /** Throws a Problem for what the dialect has no word for. */
  writeRequest(call: EmbeddingCall, target: { upstreamModel: string }): object;
  /** Null when the body is no answer of this dialect. */
  readAnswer(body: Buffer): EmbeddingResult | null;
}

export interface EmbeddingSend {
  readonly upstreamModel: string;
  readonly body: Buffer;
}

/** What a provider needs of the world to talk over HTTP. */
export interface ProviderTools {
  readonly clock: Clock;
  readonly connectTimeoutMs: number;
  readonly silenceTimeoutMs: number;
  /** For a question and its whole answer, where it is not a call of somebody's. */
  readonly callTotalMs: number;
  /** For one that carries a file. */
  readonly transferTotalMs: number;
  /** Default: connect directly. */
  readonly proxies?: Proxies;
  /** What providers say of errors is read through it. */
  readonly mask: ProviderMask;
}
