/**
 * Turns a key into its principal, from memory. The memory is true while the access epoch stands
 * still: a notification or the next poll drops it, and when neither could be had for a while every
 * look-up goes to the database, so a revoked key is refused everywhere within a known time.
 */

import { type Database, readAgain } from '../database/database.ts';
import { answeredWithin, CALL_WAIT_MS, VIEW_MS_MAX } from '../database/deadlines.ts';
import { Problem } from '../kernel/problem.ts';
import type { Running } from '../kernel/running.ts';
import { type Clock, isoOf } from '../kernel/time.ts';
import { whenAvailable } from '../kernel/when-available.ts';
import { digestOfKey } from './key-secret.ts';
import { findPrincipal, readAccessEpoch } from './keys.store.ts';
import type { Principal } from './principal.ts';
import { type CredentialHeaders, checkKeyText, opens, readKeyText, type Surface } from './read-credential.ts';

const POLL_MS = 1_000;
/** A look-up that takes longer than this is not waited for by others: they ask for themselves. */
const SHARED_MS = 250;
const REMEMBERED_MAX = 50_000;
const CHANNEL = 'tollgate_access';
const KEYS_UNKNOWN = 'Keys cannot be checked at the moment; send the call again in a moment.';

interface Asking {
  readonly sinceMs: number;
  readonly answer: Promise<Principal | null>;
}

export class Authenticator implements Running {
  readonly #db: Database;
  readonly #clock: Clock;
  /** By the text of the key, to spare a digest per call. `null`: there is no such key. */
  readonly #remembered = new Map<string, Principal | null>();
  readonly #asking = new Map<string, Asking>();
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
    this.#stopPolling = this.#clock.every(POLL_MS, () => void this.#syncOnce().catch(() => undefined));
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
    await this.#syncOnce();
  }

  #syncOnce(): Promise<void> {
    this.#syncing ??= this.#sync().finally(() => {
      this.#syncing = null;
    });
    return this.#syncing;
  }

  /** Who sends these headers; a 401 otherwise. Answers at once when the key is remembered. */
  authenticate(headers: CredentialHeaders, surface: Surface): Principal | Promise<Principal> {
    const text = readKeyText(headers, surface);
    const trusted = this.#clock.elapsedMs() - this.#syncedAt <= VIEW_MS_MAX;
    const principal = trusted ? this.#remembered.get(text) : undefined;
    if (principal !== undefined && principal !== null && opens(principal.keyKind, surface))
      return this.#valid(principal);
    checkKeyText(text, surface);
    return principal === undefined
      ? this.#lookUp(text).then((found) => this.#valid(found))
      : this.#valid(principal);
  }

  #valid(principal: Principal | null): Principal {
    if (principal === null) {
      throw new Problem('invalid_credentials', {
        detail: 'The key is not known here. Check its value, or make a new one.',
      });
    }
    if (principal.disabled) {
      throw new Problem('invalid_credentials', {
        detail: 'The key is disabled. An administrator of its space can enable it again.',
        facts: { key_id: principal.keyId },
      });
    }
    if (principal.expiresAt <= this.#clock.now()) {
      const facts = { key_id: principal.keyId, expired_at: isoOf(principal.expiresAt) };
      throw new Problem('api_key_expired', { facts });
    }
    return principal;
  }

  async #sync(): Promise<void> {
    do {
      this.#again = false;
      const askedAt = this.#clock.elapsedMs();
      const epoch = await readAgain(() => readAccessEpoch(this.#db));
      if (epoch !== this.#epoch) {
        this.#remembered.clear();
        this.#generation++;
      }
      this.#epoch = epoch;
      this.#syncedAt = askedAt;
    } while (this.#again);
  }

  async #lookUp(text: string): Promise<Principal | null> {
    const nowMs = this.#clock.elapsedMs();
    let asking = this.#asking.get(text);
    if (asking === undefined || nowMs - asking.sinceMs > SHARED_MS) {
      asking = { sinceMs: nowMs, answer: this.#ask(text) };
      this.#asking.set(text, asking);
    }
    const { answer } = asking;
    try {
      return await whenAvailable(() => answeredWithin(CALL_WAIT_MS, answer), { detail: KEYS_UNKNOWN });
    } finally {
      if (this.#asking.get(text) === asking) this.#asking.delete(text);
    }
  }

  async #ask(text: string): Promise<Principal | null> {
    const generation = this.#generation;
    const principal = await readAgain(() => findPrincipal(this.#db, digestOfKey(text)));
    // If something changed meanwhile the answer may be old: use it once, do not remember it.
    if (generation === this.#generation) this.#remember(text, principal);
    return principal;
  }

  #remember(text: string, principal: Principal | null): void {
    if (this.#remembered.size >= REMEMBERED_MAX) {
      const oldest = this.#remembered.keys().next().value;
      if (oldest !== undefined) this.#remembered.delete(oldest);
    }
    this.#remembered.set(text, principal);
  }
}
