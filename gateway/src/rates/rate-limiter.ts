/**
 * Says before a call whether its key and its space may make another one this minute, and counts it. The
 * counts of this process are always at hand; with Redis it decides for all processes together, without
 * it, or while it is away, they tell each other once a second (rate-sync.ts). Whoever has no such
 * limit passes without a look.
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

  /** Throws `rate_limit_exceeded`, or rejects with it. Null: the call may pass, and nobody was asked. */
  countRequest(principal: Principal): Promise<void> | null {
    if (!isRated(principal)) return null;
    // What is known here is never more than the truth, so what it refuses Redis would refuse too.
    this.#check(principal);
    const asked = this.#shared?.countRequest(principal) ?? null;
    if (asked !== null) return this.#heed(principal, asked);
    this.#count(principal);
    return null;
  }

  /** Called when a call is settled: nobody knows its tokens before. */
  used(principal: Principal, tokens: number): void {
    if (!isRated(principal) || tokens === 0) return;
    this.#counts.add(principal, 'tokens', tokens, this.#clock.now());
    const told = this.#shared?.addTokens(principal, tokens) ?? null;
    if (told === null) this.#sync.wake();
    else told.catch(() => this.#sync.wake());
  }

  /** What the answer says of the limits that exist; null where there are none. */
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
    // Whoever comes back when there is room again should find the others' counts fresh.
    if (this.#redis === null || this.#redis.away) this.#sync.wake();
    throw problem;
  }

  #count(principal: Principal): void {
    this.#counts.add(principal, 'requests', 1, this.#clock.now());
    this.#sync.wake();
  }

  async #heed(principal: Principal, asked: Promise<SharedAnswer>): Promise<void> {
    let answer: SharedAnswer;
    try {
      answer = await asked;
    } catch {
      // No limit is worth a call that waits for nothing: what is known here decides.
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

function isRated({ keyRate, spaceRate }: Principal): boolean {
  return keyRate !== null || spaceRate !== null;
}
