/**
 * The requests that run under keys. When keys, members or spaces have changed, each is ended whose key would be rejected
 * now; and so is each whose key has expired. It costs a request an entry in a list, and nothing while it runs.
 */
import type { Database } from '../database/database.ts';
import { readAgain } from '../database/deadlines.ts';
import { type Listed, LiveList } from '../kernel/live-list.ts';
import { Problem } from '../kernel/problem.ts';
import type { Clock } from '../kernel/time.ts';
import { endOfKey, type KeyStanding, keyProblem } from './key-standing.ts';
import { findStandings } from './keys.store.ts';
import type { Principal } from './principal.ts';

export interface KeyedWork extends Listed {
  readonly principal: Principal | null;
  /** Whether it costs units: a space that is blocked may still read. */
  readonly isCharged: boolean;
  /** What is known of its key; null if it does not matter any more. */
  standing: KeyStanding | null;
  /** Ends it, if it can be ended before it is complete. */
  end(problem: Problem): void;
}

export class RunningWork {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #works = new LiveList<KeyedWork>();
  /** Something has changed since the last check. */
  #isOutdated = false;

  constructor({ db, clock }: { db: Database; clock: Clock }) {
    this.#db = db;
    this.#clock = clock;
  }

  add(work: KeyedWork): void {
    this.#works.add(work);
  }

  remove(work: KeyedWork): void {
    this.#works.remove(work);
  }

  /** The next check asks about every key. */
  outdate(): void {
    this.#isOutdated = true;
  }

  /** Called after each look at the database for changes. Rejects if it does not answer; then the next one repeats it. */
  async check(): Promise<void> {
    if (this.#isOutdated) await this.#checkAll();
    const now = this.#clock.now();
    this.#works.forEach((work) => {
      if (work.standing !== null && endOfKey(work.standing) <= now) end(work, keyProblem(work.standing, now));
    });
  }

  async #checkAll(): Promise<void> {
    const digests = new Set<string>();
    this.#works.forEach(({ principal }) => {
      if (principal?.digest !== undefined) digests.add(principal.digest);
    });
    // What changes from here on is found by the next check.
    this.#isOutdated = false;
    if (digests.size === 0) return;
    try {
      const found = await readAgain(() => findStandings(this.#db, [...digests]));
      const standings = new Map(found.map((standing) => [standing.digest, standing]));
      // A request that began meanwhile and was not asked about has a key that was accepted a moment ago.
      this.#works.forEach((work) => {
        const { digest } = work.principal ?? {};
        if (digest !== undefined && digests.has(digest)) this.#judge(work, standings.get(digest) ?? null);
      });
    } catch (error) {
      this.#isOutdated = true;
      throw error;
    }
  }

  #judge(work: KeyedWork, standing: (KeyStanding & { blocked: boolean }) | null): void {
    work.standing = standing;
    const problem = keyProblem(standing, this.#clock.now());
    if (problem !== null) end(work, problem);
    else if (standing?.blocked && work.isCharged)
      end(work, new Problem('insufficient_units', { detail: BLOCKED, facts: { limit: 'space_units' } }));
  }
}

const BLOCKED = 'An operator blocked the space while the call was running. Ask the operator why.';

function end(work: KeyedWork, problem: Problem | null): void {
  if (problem === null) return;
  // Once is enough: what cannot be ended goes on.
  work.standing = null;
  work.end(problem);
}
