/**
 * Finds the principal of a key, in a cache. The cache is valid while the access epoch does not change: a notification
 * or the next poll drops it. If neither arrives for a while, every look-up goes to the database, so that a revoked
 * key is rejected everywhere within a known time. The token of a workload stands for the key of its rule.
 */

import type { Database } from '../database/database.ts';
import { answeredWithin, CALL_WAIT_MS, readAgain, VIEW_MS_MAX } from '../database/deadlines.ts';
import { sha256 } from '../kernel/digest.ts';
import type { Running } from '../kernel/running.ts';
import type { Clock } from '../kernel/time.ts';
import { whenAvailable } from '../kernel/when-available.ts';
import { digestOfSecret } from './key-secret.ts';
import { keyProblem } from './key-standing.ts';
import { findPrincipal, readAccessEpoch } from './keys.store.ts';
import type { Principal } from './principal.ts';
import {
  type CredentialHeaders,
  checkKeySecret,
  opens,
  readKeySecret,
  type Surface,
} from './read-credential.ts';
import { RunningWork } from './running-work.ts';
import { type CallingWorkload, tokenRefused, type WorkloadTokens } from './workloads/workload-tokens.ts';
import { findWorkloadPrincipal } from './workloads/workloads.store.ts';

const POLL_MS = 1_000;
/** Callers share a look-up that is younger than this; after that they start their own. */
const SHARED_MS = 250;
const CACHED_MAX = 50_000;
const CHANNEL = 'tollgate_access';
const KEYS_UNKNOWN = 'Keys cannot be verified right now. Retry in a moment.';

interface LookUp {
  readonly sinceMs: number;
  readonly answer: Promise<Principal | null>;
}

export class Authenticator implements Running {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #viewMsMax: () => number;
  /**
   * By the key itself, to save a digest per call; of a token, which is long, by its digest. `null`: there is no such key.
   */
  readonly #cache = new Map<string, Principal | null>();
  readonly #workloads: WorkloadTokens | null;
  readonly #lookUps = new Map<string, LookUp>();
  readonly #listeners = new Set<() => void>();
  /** The requests that end when their key does. */
  readonly running: RunningWork;
  #epoch = -1;
  #generation = 0;
  #syncedAt = Number.NEGATIVE_INFINITY;
  #syncing: Promise<void> | null = null;
  #again = false;
  #stopPolling: (() => void) | null = null;
  #stopListening: (() => Promise<void>) | null = null;

  /** `viewMsMax`: how old the cache may be. While the database does not answer, it may be older. */
  constructor(options: {
    db: Database;
    clock: Clock;
    viewMsMax?: () => number;
    workloads?: WorkloadTokens;
  }) {
    this.#db = options.db;
    this.#workloads = options.workloads ?? null;
    this.#clock = options.clock;
    this.#viewMsMax = options.viewMsMax ?? (() => VIEW_MS_MAX);
    this.running = new RunningWork(options);
  }

  async start(): Promise<void> {
    await this.runOnce();
    this.#stopPolling = this.#clock.every(POLL_MS, () => void this.#syncOnce().catch(() => undefined));
    this.#stopListening = await this.#db.listen(CHANNEL, () => void this.runOnce().catch(() => undefined));
  }

  async stop(): Promise<void> {
    this.#stopPolling?.();
    await this.#stopListening?.();
    await this.#syncing?.catch(() => undefined);
  }

  /** Reads the epoch, and empties the cache if it has changed. */
  async runOnce(): Promise<void> {
    // A change may be committed while the epoch is being read, so a second read is never merged into the first.
    this.#again = this.#syncing !== null;
    await this.#syncOnce();
  }

  /** Calls `listener` when keys, members or spaces have changed, until the returned function is called. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #syncOnce(): Promise<void> {
    this.#syncing ??= this.#sync().finally(() => {
      this.#syncing = null;
    });
    return this.#syncing;
  }

  /** The principal of the key in the headers; throws a 401 if there is none. Synchronous for a cached key. */
  authenticate(headers: CredentialHeaders, surface: Surface): Principal | Promise<Principal> {
    const text = readKeySecret(headers, surface);
    if (this.#workloads?.takes(text)) return this.#byToken(this.#workloads, text, surface);
    const principal = this.#cached(text);
    if (principal !== undefined && principal !== null && opens(principal.keyKind, surface))
      return this.#valid(principal);
    checkKeySecret(text, surface);
    if (principal !== undefined) return this.#valid(principal);
    const read = (): Promise<Principal | null> => findPrincipal(this.#db, digestOfSecret(text));
    return this.#find(text, read).then((found) => this.#valid(found));
  }

  /** Undefined: ask the database. */
  #cached(name: string): Principal | null | undefined {
    const ageMs = this.#clock.elapsedMs() - this.#syncedAt;
    const cached = ageMs <= this.#viewMsMax() ? this.#cache.get(name) : undefined;
    // A key that was unknown may have been created since.
    return cached === null && ageMs > VIEW_MS_MAX ? undefined : cached;
  }

  #byToken(tokens: WorkloadTokens, text: string, surface: Surface): Principal | Promise<Principal> {
    const digest = sha256(text);
    const known = tokens.known(digest);
    if (known === null)
      return tokens.verify(text, digest).then((workload) => this.#ofWorkload(workload, digest, surface));
    return this.#ofWorkload(known, digest, surface);
  }

  #ofWorkload(workload: CallingWorkload, digest: string, surface: Surface): Principal | Promise<Principal> {
    const management = opens('management', surface);
    const name = `${management ? 'platform' : 'calls'} ${digest}`;
    const valid = (found: Principal | null): Principal => {
      if (found !== null) return this.#valid(found);
      throw tokenRefused(`no key has the workload ${workload.subject} of ${workload.issuer}`);
    };
    const principal = this.#cached(name);
    if (principal !== undefined) return valid(principal);
    return this.#find(name, () => findWorkloadPrincipal(this.#db, workload, { management })).then(valid);
  }

  #valid(principal: Principal | null): Principal {
    const problem = keyProblem(principal, this.#clock.now());
    if (principal === null || problem !== null) throw problem;
    return principal;
  }

  async #sync(): Promise<void> {
    do {
      this.#again = false;
      const askedAt = this.#clock.elapsedMs();
      const epoch = await readAgain(() => readAccessEpoch(this.#db));
      if (epoch !== this.#epoch) {
        this.#cache.clear();
        this.#generation++;
        this.running.outdate();
        for (const listener of [...this.#listeners]) listener();
      }
      this.#epoch = epoch;
      this.#syncedAt = askedAt;
    } while (this.#again);
    await this.running.check();
  }

  async #find(name: string, read: () => Promise<Principal | null>): Promise<Principal | null> {
    const nowMs = this.#clock.elapsedMs();
    let lookUp = this.#lookUps.get(name);
    if (lookUp === undefined || nowMs - lookUp.sinceMs > SHARED_MS) {
      lookUp = { sinceMs: nowMs, answer: this.#read(name, read) };
      this.#lookUps.set(name, lookUp);
    }
    const { answer } = lookUp;
    try {
      return await whenAvailable(() => answeredWithin(CALL_WAIT_MS, answer), { detail: KEYS_UNKNOWN });
    } finally {
      if (this.#lookUps.get(name) === lookUp) this.#lookUps.delete(name);
    }
  }

  async #read(name: string, read: () => Promise<Principal | null>): Promise<Principal | null> {
    const generation = this.#generation;
    const principal = await readAgain(read);
    // If something changed meanwhile, the answer may be outdated: use it once, but do not cache it.
    if (generation === this.#generation) this.#store(name, principal);
    else this.running.outdate();
    return principal;
  }

  #store(name: string, principal: Principal | null): void {
    if (this.#cache.size >= CACHED_MAX) {
      const oldest = this.#cache.keys().next().value;
      if (oldest !== undefined) this.#cache.delete(oldest);
    }
    this.#cache.set(name, principal);
  }
}
