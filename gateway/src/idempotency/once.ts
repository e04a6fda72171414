/**
 * Does a request with an Idempotency-Key once. Whoever comes first claims the key, before the body is read;
 * what comes of it is written in the transaction of the effect itself, so that there is never one without
 * the other. A claim is a lease that its holder renews: when the holder dies the key is free again, and a
 * holder that only slept can no longer decide anything.
 */
import type { Database, Transaction } from '../database/database.ts';
import { randomBase62 } from '../kernel/ids.ts';
import { asProblem, Problem } from '../kernel/problem.ts';
import type { Running } from '../kernel/running.ts';
import { Sweeper } from '../kernel/sweeper.ts';
import type { Clock } from '../kernel/time.ts';
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
import { isDecided, type RequestOutcome, readOutcome, writeOutcome } from './outcome.ts';

export const REPLAYED_MS = 24 * 60 * 60 * 1000;
/** After a kill the same request is let in again within this; several renewals fit, also of a slow database. */
export const CLAIM_LEASE_MS = 6_000;
const RENEW_MS = 1_500;
/** How soon a client that met a request under way should ask again. */
const LOOK_AGAIN_MS = 1_000;
/** The key may be released between our claim and our look, and be claimed again before our next. */
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

  /** Deletes what has expired. */
  async runOnce(): Promise<void> {
    await this.#sweeper.runOnce();
  }

  /** Claims the key, or tells what was decided under it; `idempotency_in_flight` while somebody else holds it. */
  async begin(scope: OnceScope): Promise<Claim | Decided> {
    const token = randomBase62(TOKEN_CHARACTERS);
    for (let tried = 0; tried < CLAIMS_TRIED_MAX; tried++) {
      const now = this.#clock.now();
      const claimed = await claimKey(this.#db, scope, { token, now, leaseUntil: now + CLAIM_LEASE_MS });
      if (claimed) return new Claim(scope, token, { db: this.#db, clock: this.#clock });
      const row = await findIdempotencyKey(this.#db, scope);
      if (row === null || row.expiresAt <= now) continue;
      if (row.outcome === null) throw inFlight();
      return new Decided(row);
    }
    throw inFlight();
  }
}

/** The key is ours: it must be completed, failed or released. */
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
      // A renewal that fails is made up for by the next; if none comes through, the key is lost, and
      // `complete` finds that out.
      renewClaim(this.#db, this.#scope, { token, leaseUntil }).catch(() => undefined);
    });
  }

  /** In the transaction of the effect; throws, and so undoes the effect, when the key is no longer ours. */
  async complete(tx: Transaction, decision: { digest: string; outcome: RequestOutcome }): Promise<void> {
    const decided = await decideKey(tx, this.#scope, {
      token: this.#token,
      digest: decision.digest,
      outcome: writeOutcome(decision.outcome),
      expiresAt: this.#clock.now() + REPLAYED_MS,
    });
    if (!decided) throw inFlight();
  }

  /** The effect is durable, and with it the outcome. */
  close(): void {
    this.#stopRenewing();
  }

  /**
   * Keeps a refusal that the same request would get again; frees the key after anything else. Never
   * throws, because whoever calls has something else to tell.
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

  /** Frees the key. If that fails, the lease runs out. */
  async release(): Promise<void> {
    this.#stopRenewing();
    await releaseClaim(this.#db, this.#scope, this.#token).catch(() => undefined);
  }
}

/** A request with this key was decided before. */
export class Decided {
  readonly decided = true;
  readonly #row: KeyRow;

  constructor(row: KeyRow) {
    this.#row = row;
  }

  /** What it came to: a result, or the same refusal again; `idempotency_conflict` for another request. */
  replay(digest: string): string {
    if (digest !== this.#row.digest) {
      throw new Problem('idempotency_conflict', {
        detail:
          'This Idempotency-Key was already used with other content; send what changed under a new key.',
      });
    }
    const outcome = readOutcome(this.#row.outcome ?? '');
    if ('problem' in outcome) throw outcome.problem;
    return outcome.result;
  }
}

function inFlight(): Problem {
  return new Problem('idempotency_in_flight', {
    detail:
      'The first request with this Idempotency-Key is still under way; send the same again in a moment.',
    retryAfterMs: LOOK_AGAIN_MS,
  });
}
