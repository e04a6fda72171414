/** Credentials for the API of a cluster. Those that expire are cached and replaced in time. */
import type { Clock, Instant } from '../../kernel/time.ts';

export interface ClusterCredential {
  readonly headers: Readonly<Record<string, string>>;
  /** A client certificate and its key, as PEM texts. */
  readonly certificate: { readonly cert: string; readonly key: string } | null;
}

export interface CredentialSource {
  /** Called for each request. */
  current(): Promise<ClusterCredential>;
  /** The cluster answered 401 to this credential: the next `current` may return another one. */
  reject(credential: ClusterCredential): void;
  close(): void;
}

/** No credential could be obtained. The message never contains a secret. */
export class CredentialError extends Error {
  override readonly name = 'CredentialError';
}

export function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}

export function sameCredential(a: ClusterCredential, b: ClusterCredential): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** A credential that is read for each request, because tokens and certificates in files are replaced. */
export function readCredentials(read: () => Promise<ClusterCredential>): CredentialSource {
  return { current: read, reject: () => undefined, close: () => undefined };
}

export interface IssuedCredential {
  readonly credential: ClusterCredential;
  /** Null: it is used until the cluster rejects it. */
  readonly expiresAt: Instant | null;
}

/** A credential is replaced this long before it expires, so that it does not expire on the way. */
const EXPIRY_MARGIN_MS = 10_000;
/** The shortest time between two runs of an issuer, so that a broken one is not run for every request. */
const ISSUE_MS_MIN = 5_000;

/** Caches what an issuer returns until it expires or is rejected. Concurrent requests share one run. */
export class CachedCredentials implements CredentialSource {
  readonly #issue: (signal: AbortSignal) => Promise<IssuedCredential>;
  readonly #clock: Clock;
  readonly #stop = new AbortController();
  #cached: IssuedCredential | null = null;
  #failure: Error | null = null;
  #running: Promise<ClusterCredential> | null = null;
  #finishedMs = Number.NEGATIVE_INFINITY;

  constructor(issue: (signal: AbortSignal) => Promise<IssuedCredential>, clock: Clock) {
    this.#issue = issue;
    this.#clock = clock;
  }

  current(): Promise<ClusterCredential> {
    const cached = this.#cached;
    const recent = this.#clock.elapsedMs() - this.#finishedMs < ISSUE_MS_MIN;
    if (cached !== null && (recent || !this.#isExpired(cached))) return Promise.resolve(cached.credential);
    if (this.#failure !== null && recent) return Promise.reject(this.#failure);
    this.#running ??= this.#run().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  /** Ignored for a credential that was just issued, and for one that was replaced since. */
  reject(credential: ClusterCredential): void {
    const recent = this.#clock.elapsedMs() - this.#finishedMs < ISSUE_MS_MIN;
    const cached = this.#cached?.credential.headers.authorization;
    if (cached === credential.headers.authorization && !recent) this.#cached = null;
  }

  close(): void {
    this.#stop.abort();
  }

  async #run(): Promise<ClusterCredential> {
    try {
      this.#cached = await this.#issue(this.#stop.signal);
      this.#failure = null;
      return this.#cached.credential;
    } catch (error) {
      this.#cached = null;
      this.#failure = error as Error;
      throw error;
    } finally {
      this.#finishedMs = this.#clock.elapsedMs();
    }
  }

  #isExpired({ expiresAt }: IssuedCredential): boolean {
    return expiresAt !== null && this.#clock.now() >= expiresAt - EXPIRY_MARGIN_MS;
  }
}
