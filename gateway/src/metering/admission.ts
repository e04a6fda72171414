/**
 * Says before a call whether its space and its key may still spend. Answers from memory: what the
 * database knew at the last look, which all processes share, and what this process has charged since.
 * By how much a limit can be overshot follows from that, and is told in docs/money.md.
 */

import type { Principal } from '../access/principal.ts';
import { type Database, DatabaseUnavailable, readAgain } from '../database/database.ts';
import { answeredWithin, CALL_WAIT_MS, VIEW_MS_MAX } from '../database/deadlines.ts';
import { Problem } from '../kernel/problem.ts';
import type { Running } from '../kernel/running.ts';
import { type Clock, type Month, monthOf, printMonthEnd } from '../kernel/time.ts';
import { addUnits, printUnits, type Units, ZERO } from '../kernel/units.ts';
import { unavailableProblem } from '../kernel/when-available.ts';
import { readSpending, type Spending } from './spend.store.ts';

export const LOOK_MS = 1_000;
const LIMITS_UNKNOWN =
  'The limits of this key cannot be checked at the moment; send the call again in a moment.';
const NOTHING: Spending = { blockedSpaces: new Set(), held: new Map(), spent: new Map() };

export class Admission implements Running {
  readonly #db: Database;
  readonly #clock: Clock;
  #known = NOTHING;
  /** When the question was sent that `#known` answers. */
  #knownAtMs = Number.NEGATIVE_INFINITY;
  #month: Month = '';
  /** Charged by this process since the last look began, by key, member and space. */
  #since = new Map<string, Units>();
  /** Charged before that, and in no answer of the database yet. */
  #before = new Map<string, Units>();
  /** In which the two above were charged. */
  #charging: Month = '';
  #looking: Promise<void> | null = null;
  #again = false;
  #stopLooking: (() => void) | null = null;

  constructor(options: { db: Database; clock: Clock }) {
    this.#db = options.db;
    this.#clock = options.clock;
  }

  async start(): Promise<void> {
    await this.runOnce();
    // While the database cannot be asked, calls ask it themselves, and hear that it is away.
    this.#stopLooking = this.#clock.every(LOOK_MS, () => void this.#lookOnce().catch(() => undefined));
  }

  async stop(): Promise<void> {
    this.#stopLooking?.();
    await this.#looking?.catch(() => undefined);
  }

  async runOnce(): Promise<void> {
    // A limit may have been set while an answer is under way, so a second look is never merged into the first.
    this.#again = this.#looking !== null;
    await this.#lookOnce();
  }

  /**
   * Throws `insufficient_units` or `policy_limit_exceeded`. Null: the call may pass, and nobody was asked. What
   * is known is not trusted when it is too old; then the answer comes from the database, or is that it is away.
   */
  checkSpending(principal: Principal): Promise<void> | null {
    if (!this.#fresh) return this.#admitAnew(principal);
    this.#checkAll(principal);
    return null;
  }

  async #admitAnew(principal: Principal): Promise<void> {
    try {
      await answeredWithin(CALL_WAIT_MS, this.#lookOnce());
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error;
      if (!this.#fresh) throw unavailableProblem(error, { detail: LIMITS_UNKNOWN });
    }
    this.#checkAll(principal);
  }

  get #fresh(): boolean {
    return this.#clock.elapsedMs() - this.#knownAtMs <= VIEW_MS_MAX;
  }

  /** A look, or the one under way, which is never older than its deadline. */
  #lookOnce(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = null;
    });
    return this.#looking;
  }

  #checkAll(principal: Principal): void {
    if (this.#isBlocked(principal.spaceId)) {
      throw new Problem('insufficient_units', {
        detail: `The space ${principal.spaceName} has no units left and may not go beyond them, or is blocked. Ask its administrator to add units.`,
        facts: { limit: 'space_units' },
      });
    }
    const { keyId, memberId, keyMonthLimit, memberMonthLimit } = principal;
    if (keyMonthLimit !== null) this.#check('key', keyId, keyMonthLimit);
    if (memberMonthLimit !== null && memberId !== null) this.#check('member', memberId, memberMonthLimit);
  }

  /** Called once a charge is durable. */
  spent({ spaceId, keyId, memberId, keyMonthLimit, memberMonthLimit }: Principal, cost: Units): void {
    this.#turnTo(monthOf(this.#clock.now()));
    if (this.#known.held.has(spaceId)) this.#add(spaceId, cost);
    if (keyMonthLimit !== null) this.#add(keyId, cost);
    if (memberMonthLimit !== null && memberId !== null) this.#add(memberId, cost);
  }

  #isBlocked(spaceId: string): boolean {
    if (this.#known.blockedSpaces.has(spaceId)) return true;
    const held = this.#known.held.get(spaceId);
    return held !== undefined && this.#chargedHere(spaceId) >= held;
  }

  #chargedHere(id: string): Units {
    return addUnits(this.#before.get(id) ?? ZERO, this.#since.get(id) ?? ZERO);
  }

  #check(whose: 'key' | 'member', id: string, limit: Units): void {
    const month = monthOf(this.#clock.now());
    this.#turnTo(month);
    // What was known of last month says nothing of this one.
    const known = month === this.#month ? this.#known : NOTHING;
    const spent = addUnits(known.spent.get(id) ?? ZERO, this.#chargedHere(id));
    if (spent < limit) return;
    const resets = printMonthEnd(month);
    const shown = { spent: printUnits(spent), limit: printUnits(limit) };
    throw new Problem('policy_limit_exceeded', {
      detail:
        `The monthly limit of this ${whose} is reached: ${shown.spent} of ${shown.limit} units are spent. ` +
        `It is reset at ${resets}.`,
      facts: { limit: `${whose}_month`, spent: shown.spent, cap: shown.limit, resets_at: resets },
    });
  }

  #turnTo(month: Month): void {
    if (month === this.#charging) return;
    this.#charging = month;
    this.#before = new Map();
    this.#since = new Map();
  }

  #add(id: string, cost: Units): void {
    this.#since.set(id, addUnits(this.#since.get(id) ?? ZERO, cost));
  }

  async #look(): Promise<void> {
    do {
      this.#again = false;
      const now = this.#clock.now();
      const month = monthOf(now);
      this.#turnTo(month);
      // What was charged up to here is in the answer, and counts from memory until it comes. What is
      // charged from here on may or may not be in it; counting it twice until the next look errs on
      // the side of the limit.
      for (const [id, cost] of this.#since)
        this.#before.set(id, addUnits(this.#before.get(id) ?? ZERO, cost));
      this.#since = new Map();
      const askedAtMs = this.#clock.elapsedMs();
      this.#known = await readAgain(() => readSpending(this.#db, { now, month }));
      this.#knownAtMs = askedAtMs;
      this.#before = new Map();
      this.#month = month;
    } while (this.#again);
  }
}
