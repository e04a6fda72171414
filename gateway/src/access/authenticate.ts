/**
 * Turns a key into its principal, from memory. The memory is true while the access epoch stands
 * still: a notification or the next poll drops it, and when neither could be had for a while every
 * look-up goes to the database, so a revoked key is refused everywhere within a known time.
 */
import { type Database, DatabaseUnavailable } from '../database/database.ts';
import { Problem } from '../kernel/problem.ts';
import type { Clock } from '../kernel/time.ts';
import { digestOfKey } from './key-secret.ts';
import { findPrincipal, readAccessEpoch } from './keys.store.ts';
import type { Principal } from './principal.ts';

const POLL_MS = 1_000;
const TRUSTED_MS = 5_000;
const REMEMBERED_MAX = 50_000;
const CHANNEL = 'tollgate_access';

export class Authenticator {
  readonly #db: Database;
  readonly #clock: Clock;
  /** `null` remembers that there is no such key. */
  readonly #remembered = new Map<string, Principal | null>();
  readonly #asking = new Map<string, Promise<Principal | null>>();
  #epoch = -1;
  #generation = 0;
  #syncedAt = Number.NEGATIVE_INFINITY;
  #syncing: Promise<void> | null = null;
  #again = false;
  #stopPolling: (() => void) | null = null;
  #stopListening: (() => Promise<void>) | null = null;

  constructor(options: { db: Database; clock: Clock }) {
    this.#db = options.db;
    this.#clock = options.clock;
  }

  async start(): Promise<void> {
    await this.runOnce();
    this.#stopPolling = this.#clock.every(POLL_MS, () => void this.runOnce().catch(() => undefined));
    this.#stopListening = await this.#db.listen(CHANNEL, () => void this.runOnce().catch(() => undefined));
  }

  async stop(): Promise<void> {
    this.#stopPolling?.();
    await this.#stopListening?.();
    await this.#syncing?.catch(() => undefined);
  }

  /** Asks whether anything changed, and forgets everything if so. */
  async runOnce(): Promise<void> {
    // A change may land while an answer is under way, so a second ask is never merged into the first.
    this.#again = this.#syncing !== null;
    this.#syncing ??= this.#sync().finally(() => {
      this.#syncing = null;
    });
    await this.#syncing;
  }

  /** The principal of a well-formed key text, or a 401. */
  async authenticate(keyText: string): Promise<Principal> {
    const digest = digestOfKey(keyText);
    const trusted = this.#clock.elapsedMs() - this.#syncedAt < TRUSTED_MS;
    const remembered = trusted ? this.#remembered.get(digest) : undefined;
    const principal = remembered === undefined ? await this.#lookUp(digest) : remembered;
    if (principal === null) {
      throw new Problem('invalid_credentials', {
        detail: 'The key is not known here. Check its value, or make a new one.',
      });
    }
    if (principal.expiresAt <= this.#clock.now()) throw new Problem('api_key_expired');
    return principal;
  }

  async #sync(): Promise<void> {
    do {
      this.#again = false;
      const askedAt = this.#clock.elapsedMs();
      const epoch = await readAccessEpoch(this.#db);
      if (epoch !== this.#epoch) {
        this.#remembered.clear();
        this.#generation++;
      }
      this.#epoch = epoch;
      this.#syncedAt = askedAt;
    } while (this.#again);
  }

  async #lookUp(digest: string): Promise<Principal | null> {
    const asking = this.#asking.get(digest) ?? this.#ask(digest);
    this.#asking.set(digest, asking);
    try {
      return await asking;
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error;
      throw new Problem('service_unavailable', {
        detail: 'Keys cannot be checked at the moment.',
        cause: error,
      });
    } finally {
      this.#asking.delete(digest);
    }
  }

  async #ask(digest: string): Promise<Principal | null> {
    const generation = this.#generation;
    const principal = await findPrincipal(this.#db, digest);
    // If something changed meanwhile the answer may be old: use it once, do not remember it.
    if (generation === this.#generation) this.#remember(digest, principal);
    return principal;
  }

  #remember(digest: string, principal: Principal | null): void {
    if (this.#remembered.size >= REMEMBERED_MAX) {
      const oldest = this.#remembered.keys().next().value;
      if (oldest !== undefined) this.#remembered.delete(oldest);
    }
    this.#remembered.set(digest, principal);
  }
}
