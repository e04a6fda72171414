/**
 * Per-minute rate limits: decides before a call whether its key, its member and its space may make another request, and
 * counts it. With Redis one script decides for all processes. Without Redis, or while it is unavailable, each
 * process decides from its own counts and those that the others share once a second (rate-sync.ts). Callers
 * without a limit are not counted.
 */

import type { Principal } from '../access/principal.ts';
import type { Database } from '../database/database.ts';
import type { Stoppable } from '../kernel/running.ts';
import type { Clock } from '../kernel/time.ts';
import type { Redis } from '../redis/redis.ts';
import { RateCounts } from './rate-counts.ts';
import { rateHeaders, rateProblem } from './rate-reading.ts';
import { RateSync } from './rate-sync.ts';
import { type SharedAnswer, SharedRates } from './shared-rates.ts';

export class RateLimiter implements Stoppable {
  readonly #clock: Clock;
  readonly #counts = new RateCounts();
  readonly #sync: RateSync;
  readonly #shared: SharedRates | null;
  readonly #redis: Redis | null;

  constructor({ db, clock, redis }: { db: Database; clock: Clock; redis: Redis | null }) {
    this.#clock = clock;
    this.#sync = new RateSync({ db, clock, counts: this.#counts });
    this.#redis = redis;
    this.#shared = redis === null ? null : new SharedRates(redis);
  }

  async stop(): Promise<void> {
    await this.#sync.stop();
  }

  /** Throws `rate_limit_exceeded`, or rejects with it. Null: the call may proceed, decided from memory. */
  countRequest(principal: Principal): Promise<void> | null {
    if (!isRated(principal)) return null;
    // The local counts are never higher than the true ones, so Redis would reject the call too.
    this.#check(principal);
    const asked = this.#shared?.countRequest(principal) ?? null;
    if (asked !== null) return this.#obey(principal, asked);
    this.#count(principal);
    return null;
  }

  /** Called when a call is settled, because its tokens are unknown before. */
  used(principal: Principal, tokens: number): void {
    if (!isRated(principal) || tokens === 0) return;
    this.#counts.add(principal, 'tokens', tokens, this.#clock.now());
    const added = this.#shared?.addTokens(principal, tokens) ?? null;
    if (added === null) this.#sync.wake();
    else added.catch(() => this.#sync.wake());
  }

  /** The `x-ratelimit-*` headers of the reply; null when there is no limit. */
  headers(principal: Principal): (() => Record<string, string>) | null {
    if (!isRated(principal)) return null;
    return () => {
      const now = this.#clock.now();
      return rateHeaders(this.#counts.readings(principal, now), now);
    };
  }

  #check(principal: Principal): void {
    const now = this.#clock.now();
    const problem = rateProblem(this.#counts.readings(principal, now), now);
    if (problem === null) return;
    // Refresh the counts of the others, so that a retry after the reset is decided correctly.
    if (this.#redis === null || this.#redis.away) this.#sync.wake();
    throw problem;
  }

  #count(principal: Principal): void {
    this.#counts.add(principal, 'requests', 1, this.#clock.now());
    this.#sync.wake();
  }

  async #obey(principal: Principal, asked: Promise<SharedAnswer>): Promise<void> {
    let answer: SharedAnswer;
    try {
      answer = await asked;
    } catch {
      // Redis gave no answer: do not delay the call, decide from the local counts.
      this.#check(principal);
      this.#count(principal);
      return;
    }
    const now = this.#clock.now();
    if (answer.admitted) this.#counts.add(principal, 'requests', 1, now);
    for (const total of answer.totals) this.#counts.learnTotal(total, now);
    const problem = answer.admitted ? null : rateProblem(answer.readings, answer.now);
    if (problem !== null) throw problem;
  }
}

function isRated({ keyRate, memberRate, spaceRate }: Principal): boolean {
  return keyRate !== null || memberRate !== null || spaceRate !== null;
}
