/**
 * Requests to the API of a cluster over our own HTTP client. A response that has started may be silent for
 * any time. After a 401 the request is sent once more if there is another credential.
 */
import { createSecureContext } from 'node:tls';
import type { Clock } from '../../kernel/time.ts';
import { UpstreamClient } from '../../net/upstream.ts';
import { ApiBody } from './api-body.ts';
import type { Cluster } from './cluster.ts';
import { type ClusterCredential, CredentialError, sameCredential } from './credentials.ts';

/** The cluster answered with a status other than 200. */
export class ApiStatusError extends Error {
  override readonly name = 'ApiStatusError';
  readonly status: number;
  constructor(status: number, text: string) {
    super(`the cluster answered ${status}: ${text.slice(0, 300)}`);
    this.status = status;
  }
}

/** Whether the same request would fail again: it is reported instead of repeated. */
export function isPermanent(error: unknown): boolean {
  if (error instanceof CredentialError) return true;
  return error instanceof ApiStatusError && error.status < 500 && error.status !== 429;
}

const CONNECT_MS = 10_000;
/** A kubelet sends the head of a response with the first line, so a log without lines looks like this too. */
const HEAD_MS_MAX = 60_000;
const JSON_MS_MAX = 60_000;
const ERROR_CHARACTERS_MAX = 64 * 1024;
const JSON_BYTES_MAX = 64 * 1024 * 1024;

export class ClusterApi {
  readonly #cluster: Cluster;
  readonly #clock: Clock;
  #client: UpstreamClient | null = null;
  #certificate: ClusterCredential['certificate'] = null;

  constructor(cluster: Cluster, clock: Clock) {
    this.#cluster = cluster;
    this.#clock = clock;
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
        if (bytes > JSON_BYTES_MAX) throw new Error('the response of the cluster is too large');
      }
    } finally {
      cancel();
      body.close();
    }
    return JSON.parse(Buffer.concat(pieces).toString('utf8')) as T;
  }

  /** Resolves when the response has started; rejects if its status is not 200. */
  async open(path: string, signal: AbortSignal): Promise<ApiBody> {
    const { credentials } = this.#cluster;
    const credential = await unlessAborted(credentials.current(), signal);
    try {
      return await this.#request(path, credential, signal);
    } catch (error) {
      if (!(error instanceof ApiStatusError) || error.status !== 401) throw error;
      credentials.reject(credential);
      const renewed = await unlessAborted(credentials.current(), signal);
      if (sameCredential(renewed, credential)) throw error;
      return await this.#request(path, renewed, signal);
    }
  }

  async close(): Promise<void> {
    this.#cluster.credentials.close();
    await this.#client?.close();
  }

  async #request(path: string, credential: ClusterCredential, signal: AbortSignal): Promise<ApiBody> {
    const client = await this.#clientFor(credential);
    if (signal.aborted) throw new Error('the request was aborted');
    const body = new ApiBody(signal);
    const accept = { accept: 'application/json, */*' };
    const headers = { ...this.#cluster.headers, ...credential.headers, ...accept };
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
      body.call = client.get(path, headers, { head, fail });
    }).finally(cancel);
    if (status === 200) return body;
    throw new ApiStatusError(status, await this.#errorText(body));
  }

  /** Connections keep the certificate they were opened with, so another certificate needs another client. */
  async #clientFor({ certificate }: ClusterCredential): Promise<UpstreamClient> {
    const { server, proxy } = this.#cluster;
    const same = JSON.stringify(certificate) === JSON.stringify(this.#certificate);
    if (this.#client !== null && same) return this.#client;
    const tls = { ...this.#cluster.tls, ...certificate };
    checkCertificates(tls);
    const old = this.#client;
    this.#certificate = certificate;
    this.#client = new UpstreamClient({
      baseUrl: server,
      clock: this.#clock,
      connectTimeoutMs: CONNECT_MS,
      silenceTimeoutMs: Number.POSITIVE_INFINITY,
      tls,
      ...(proxy !== null && { proxy }),
    });
    const client = this.#client;
    // Its streams are resumed over the new client.
    await old?.close();
    return client;
  }

  /** The text of an error response, as far as it arrives in time. */
  async #errorText(body: ApiBody): Promise<string> {
    let text = '';
    const cancel = this.#clock.after(HEAD_MS_MAX, body.abort);
    try {
      for (let piece = await body.next(); piece !== null; piece = await body.next()) {
        text += piece.toString('utf8');
        if (text.length > ERROR_CHARACTERS_MAX) break;
      }
    } catch {
      // The status is what matters.
    } finally {
      cancel();
      body.close();
    }
    return text;
  }
}

/** A certificate that does not fit its key would otherwise only fail when a connection is opened. */
function checkCertificates({ ca, cert, key }: { ca?: string; cert?: string; key?: string }): void {
  try {
    createSecureContext({ ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) });
  } catch (error) {
    const { message } = error as Error;
    throw new CredentialError(`The certificates for the cluster cannot be used: ${message}.`, {
      cause: error,
    });
  }
}

/** A plugin may take long, and a stop does not wait for it. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(new Error('the request was aborted'));
  signal.addEventListener('abort', onAbort);
  if (signal.aborted) onAbort();
  return Promise.race([promise, aborted]).finally(() => signal.removeEventListener('abort', onAbort));
}
