/**
 * Executes a request with an Idempotency-Key once. The first request claims the key before its body is read. The
 * outcome is written in the same transaction as the effect, so neither exists without the other. A claim is a lease that
 * is renewed: when the process dies the key becomes free, and a process that lost the lease cannot write an outcome.
 */

import type { Database, Transaction } from '../database/database.ts';
import { DAY_MS } from '../kernel/durations.ts';
import { randomBase62 } from '../kernel/ids.ts';
import { asProblem } from '../kernel/problem.ts';
import type { Running } from '../kernel/running.ts';
import { Sweeper } from '../kernel/sweeper.ts';
import type { Clock } from '../kernel/time.ts';
import { keyConflict, keyInFlight } from '../stored-answers/answer-problems.ts';
import { isDecided, type RequestOutcome, readOutcome, writeOutcome } from '../stored-answers/outcome.ts';
import {
  claimKey,
  decideKey,
  deleteExpiredKeys,
  findIdempotencyKey,
  type KeyRow,
  type OnceScope,
  releaseClaim,
  renewClaim,
} from './once.store.ts';

export const REPLAYED_MS = DAY_MS;
/** After a crash the same request is accepted again within this time. Several slow renewals fit into it. */
export const CLAIM_LEASE_MS = 6_000;
const RENEW_MS = 1_500;
/** Between our claim and our lookup the key may be released, and then claimed by another request. */
const CLAIMS_TRIED_MAX = 5;
const TOKEN_CHARACTERS = 22;
const SWEEP_MS = 10 * 60 * 1000;
const SWEEP_ROWS_MAX = 1_000;

export class Once implements Running {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #sweeper: Sweeper;

  constructor(options: { db: Database; clock: Clock }) {
    const { db, clock } = options;
    this.#db = db;
    this.#clock = clock;
    this.#sweeper = new Sweeper({
      clock,
      everyMs: SWEEP_MS,
      sweep: async () => (await deleteExpiredKeys(db, clock.now(), SWEEP_ROWS_MAX)) === SWEEP_ROWS_MAX,
    });
  }

  async start(): Promise<void> {
    await this.#sweeper.start();
  }

  async stop(): Promise<void> {
    await this.#sweeper.stop();
  }

  /** Deletes expired keys. */
  async runOnce(): Promise<void> {
    await this.#sweeper.runOnce();
  }

  /** Claims the key, or returns its outcome. Throws `idempotency_in_flight` while another request has the claim. */
  async begin(scope: OnceScope): Promise<Claim | Decided> {
    const token = randomBase62(TOKEN_CHARACTERS);
    for (let tried = 0; tried < CLAIMS_TRIED_MAX; tried++) {
      const now = this.#clock.now();
      const claimed = await claimKey(this.#db, scope, { token, now, leaseUntil: now + CLAIM_LEASE_MS });
      if (claimed) return new Claim(scope, token, { db: this.#db, clock: this.#clock });
      const row = await findIdempotencyKey(this.#db, scope);
      if (row === null || row.expiresAt <= now) continue;
      if (row.outcome === null) throw keyInFlight();
      return new Decided(row);
    }
    throw keyInFlight();
  }
}

/** A claimed key: it must be completed, failed or released. */
export class Claim {
  readonly decided = false;
  readonly #scope: OnceScope;
  readonly #token: string;
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #stopRenewing: () => void;

  constructor(scope: OnceScope, token: string, tools: { db: Database; clock: Clock }) {
    this.#scope = scope;
    this.#token = token;
    this.#db = tools.db;
    this.#clock = tools.clock;
    this.#stopRenewing = tools.clock.every(RENEW_MS, () => {
      const leaseUntil = this.#clock.now() + CLAIM_LEASE_MS;
      // If a renewal fails the next may succeed; if none does, `complete` finds that the claim is lost.
      renewClaim(this.#db, this.#scope, { token, leaseUntil }).catch(() => undefined);
    });
  }

  /** Call in the transaction of the effect. Throws if the claim is lost, which rolls the effect back. */
  async complete(tx: Transaction, decision: { digest: string; outcome: RequestOutcome }): Promise<void> {
    const decided = await decideKey(tx, this.#scope, {
      token: this.#token,
      digest: decision.digest,
      outcome: writeOutcome(decision.outcome),
      expiresAt: this.#clock.now() + REPLAYED_MS,
    });
    if (!decided) throw keyInFlight();
  }

  /** The effect and the outcome are committed. */
  close(): void {
    this.#stopRenewing();
  }

  /**
   * Stores an error that the same request would get again; releases the key after any other. Never throws, because the
   * caller has an error of its own to report.
   */
  async fail(digest: string | null, error: unknown): Promise<void> {
    const problem = asProblem(error);
    if (digest === null || !isDecided(problem)) {
      await this.release();
      return;
    }
    this.#stopRenewing();
    const outcome: RequestOutcome = { problem };
    await this.#db.transaction((tx) => this.complete(tx, { digest, outcome })).catch(() => this.release());
  }

  /** Releases the key. If that fails, the lease expires. */
  async release(): Promise<void> {
    this.#stopRenewing();
    await releaseClaim(this.#db, this.#scope, this.#token).catch(() => undefined);
  }
}

/** A key that has an outcome. */
export class Decided {
  readonly decided = true;
  readonly #row: KeyRow;

  constructor(row: KeyRow) {
    this.#row = row;
  }

  /** Returns the result or throws the stored error; `idempotency_conflict` for a different request. */
  replay(digest: string): string {
    if (digest !== this.#row.digest) throw keyConflict();
    const outcome = readOutcome(this.#row.outcome ?? '');
    if ('problem' in outcome) throw outcome.problem;
    return outcome.result;
  }
}
