/**
 * Requests to the API of a cluster, over our own HTTP client. A body that has begun may be silent for as
 * long as its reader likes; readers that wait make it wait.
 */
import type { Clock } from '../../kernel/time.ts';
import { UpstreamClient } from '../../net/upstream.ts';
import type { UpstreamCall } from '../../net/upstream-call.ts';
import type { Cluster } from './cluster.ts';

/** An answer that is not 200. */
export class ApiStatusError extends Error {
  override readonly name = 'ApiStatusError';
  readonly status: number;
  constructor(status: number, text: string) {
    super(`the cluster answered ${status}: ${text.slice(0, 300)}`);
    this.status = status;
  }
}

const CONNECT_MS = 10_000;
/** A kubelet begins its answer with the first line, so an answer that does not begin may only be quiet. */
const HEAD_MS_MAX = 60_000;
const JSON_MS_MAX = 60_000;
const WAITING_BYTES_MAX = 256 * 1024;
const REFUSAL_CHARACTERS_MAX = 64 * 1024;
const BODY_BYTES_MAX = 64 * 1024 * 1024;

export class ClusterApi {
  readonly #cluster: Cluster;
  readonly #client: UpstreamClient;
  readonly #clock: Clock;

  constructor(cluster: Cluster, clock: Clock) {
    this.#cluster = cluster;
    this.#clock = clock;
    this.#client = new UpstreamClient({
      baseUrl: cluster.server,
      clock,
      connectTimeoutMs: CONNECT_MS,
      silenceTimeoutMs: Number.POSITIVE_INFINITY,
      tls: cluster.tls,
    });
  }

  async json<T>(path: string, signal: AbortSignal): Promise<T> {
    const pieces: Buffer[] = [];
    let bytes = 0;
    const body = await this.open(path, signal);
    const cancel = this.#clock.after(JSON_MS_MAX, () => body.close());
    try {
      for (let piece = await body.next(); piece !== null; piece = await body.next()) {
        pieces.push(piece);
        bytes += piece.length;
        if (bytes > BODY_BYTES_MAX) throw new Error('the answer of the cluster is too large');
      }
    } finally {
      cancel();
      body.close();
    }
    return JSON.parse(Buffer.concat(pieces).toString('utf8')) as T;
  }

  /** Resolves when the answer has begun; one that is not 200, or does not begin, is thrown. */
  async open(path: string, signal: AbortSignal): Promise<ApiBody> {
    if (signal.aborted) throw new Error('no longer wanted');
    const body = new ApiBody(signal);
    const headers = { ...this.#cluster.headers(), accept: 'application/json, */*' };
    const cancel = this.#clock.after(HEAD_MS_MAX, body.abort);
    const status = await new Promise<number>((resolve, reject) => {
      const fail = (error: Error): void => {
        body.close();
        reject(error);
      };
      const head = (code: number): ApiBody => {
        resolve(code);
        return body;
      };
      signal.addEventListener('abort', body.abort, { once: true });
      body.call = this.#client.get(path, headers, { head, fail });
    }).finally(cancel);
    if (status === 200) return body;
    throw new ApiStatusError(status, await this.#refusalText(body));
  }

  /** What came of it in time, where it is not short and quick. */
  async #refusalText(body: ApiBody): Promise<string> {
    let text = '';
    const cancel = this.#clock.after(HEAD_MS_MAX, body.abort);
    try {
      for (let piece = await body.next(); piece !== null; piece = await body.next()) {
        text += piece.toString('utf8');
        if (text.length > REFUSAL_CHARACTERS_MAX) break;
      }
    } catch {
      // Its status is what counts.
    } finally {
      cancel();
      body.close();
    }
    return text;
  }

  close(): Promise<void> {
    return this.#client.close();
  }
}

/** A body as it comes. */
export class ApiBody {
  readonly #signal: AbortSignal;
  readonly #pieces: Buffer[] = [];
  #bytes = 0;
  #over = false;
  #failure: Error | null = null;
  #wake: (() => void) | null = null;
  call: UpstreamCall | null = null;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  readonly abort = (): void => {
    this.call?.abort();
    this.#over = true;
    this.#failure ??= new Error('no longer wanted');
    this.#wake?.();
  };

  /** Null at its end; throws where it was cut. */
  async next(): Promise<Buffer | null> {
    while (this.#pieces.length === 0) {
      if (this.#over) {
        this.#signal.removeEventListener('abort', this.abort);
        if (this.#failure !== null) throw this.#failure;
        return null;
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = null;
    }
    const piece = this.#pieces.length === 1 ? (this.#pieces[0] as Buffer) : Buffer.concat(this.#pieces);
    this.#pieces.length = 0;
    if (this.#bytes >= WAITING_BYTES_MAX) this.call?.resume();
    this.#bytes = 0;
    return piece;
  }

  /** Done with it before its end. */
  close(): void {
    this.#signal.removeEventListener('abort', this.abort);
    if (!this.#over) this.abort();
  }

  data(chunk: Buffer): void {
    this.#pieces.push(Buffer.from(chunk));
    const before = this.#bytes;
    this.#bytes += chunk.length;
    if (before < WAITING_BYTES_MAX && this.#bytes >= WAITING_BYTES_MAX) this.call?.pause();
    this.#wake?.();
  }

  end(): void {
    this.#over = true;
    this.#wake?.();
  }

  fail(failure: Error): void {
    this.#over = true;
    this.#failure ??= failure;
    this.#wake?.();
  }
}
