/** What one provider does alike at all of its endpoints. */
import type { Refusal } from './refusal.ts';

export type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>;
export type ReplyHeaders = Readonly<Record<string, string>>;

export interface Dialect {
  /** As its callers know it; only ever spoken of. */
  readonly host: string;
  /** Whether a request is meant for this provider, be its path a known one or not. */
  speaks(path: string, headers: RequestHeaders): boolean;
  /** The key that a caller presents in this provider's way. */
  readKey(headers: RequestHeaders, query: URLSearchParams): string | null;
  /** Whether a request was made with this key, where the key itself is not sent along. */
  accepts?(apiKey: string, request: SignedRequest): boolean;
  replyHeaders(requestId: string, processingMs: number): ReplyHeaders;

  writeRefusal(refusal: Refusal, requestId: string): string;
  /** An error in the middle of a stream. */
  refusalFrame(refusal: Refusal): string;
  /** The type of its streams, where they are no text: then its frames are byte strings. */
  readonly byteStreams?: string;

  missingKey(): Refusal;
  wrongKey(key: string): Refusal;
  unknownPath(method: string, path: string): Refusal;
  wrongMethod(method: string, path: string): Refusal;
  /** What it says with this status when it fails on cue. */
  failWith(status: FaultStatus): Refusal;
  /** The status of the errors it sends in streams. */
  readonly midStreamStatus: FaultStatus;

  readonly modelsPath: string;
  writeModels(names: readonly string[], query: URLSearchParams): string;
}

/** All that a signature can be of. */
export interface SignedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: RequestHeaders;
  readonly text: string;
}

export type FaultStatus = 400 | 401 | 403 | 404 | 408 | 409 | 413 | 422 | 429 | 500 | 503 | 529;

/** The text of a header that came once. */
export function oneHeader(headers: RequestHeaders, name: string): string | null {
  const value = headers[name];
  return typeof value === 'string' && value !== '' ? value : null;
}

/** A key as it is shown to its owner. */
export function maskKey(key: string): string {
  return key.length > 8 ? `${key.slice(0, 4)}${'*'.repeat(8)}${key.slice(-4)}` : '********';
}
