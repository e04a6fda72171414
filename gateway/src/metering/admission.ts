/**
 * Says before a call whether its space and its key may still spend. Answers from memory: what the
 * database knew at the last look, which all processes share, and what this process has charged since.
 * So a limit is overshot by no more than the calls under way when it was reached, and by what other
 * processes charged since their commits were last looked at, about a second.
 */
import type { Principal } from '../access/principal.ts';
import type { Database } from '../database/database.ts';
import { Problem } from '../kernel/problem.ts';
import { type Clock, type Month, monthOf, nextMonth, printMonthStart } from '../kernel/time.ts';
import { addUnits, printUnits, sumUnits, type Units } from '../kernel/units.ts';
import { readSpending, type Spending } from './spend.store.ts';

export const LOOK_MS = 1_000;
const NOTHING: Spending = { blockedSpaces: new Set(), spent: new Map() };
const ZERO = sumUnits([]);

export class Admission {
  readonly #db: Database;
  readonly #clock: Clock;
  #known = NOTHING;
  #month: Month = '';
  /** Charged by this process since the last look began, by key and by member. */
  #since = new Map<string, Units>();
  /** Charged between the last two looks, while the answer of the later is under way. */
  #before: ReadonlyMap<string, Units> = new Map();
  #looking: Promise<void> | null = null;
  #stopLooking: (() => void) | null = null;

  constructor(options: { db: Database; clock: Clock }) {
    this.#db = options.db;
    this.#clock = options.clock;
  }

  async start(): Promise<void> {
    await this.runOnce();
    // A database that cannot be asked stops calls elsewhere: none can be recorded.
    this.#stopLooking = this.#clock.every(LOOK_MS, () => void this.runOnce().catch(() => undefined));
  }

  async stop(): Promise<void> {
    this.#stopLooking?.();
    await this.#looking?.catch(() => undefined);
  }

  async runOnce(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = null;
    });
    await this.#looking;
  }

  /** Throws `insufficient_units` or `policy_limit_exceeded`. */
  admit(principal: Principal): void {
    if (this.#known.blockedSpaces.has(principal.spaceId)) {
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
  spent({ keyId, memberId, keyMonthLimit, memberMonthLimit }: Principal, cost: Units): void {
    if (keyMonthLimit !== null) this.#add(keyId, cost);
    if (memberMonthLimit !== null && memberId !== null) this.#add(memberId, cost);
  }

  #check(whose: 'key' | 'member', id: string, limit: Units): void {
    const month = monthOf(this.#clock.now());
    // What was known of last month says nothing of this one.
    const known = month === this.#month ? (this.#known.spent.get(id) ?? ZERO) : ZERO;
    const spent = sumUnits([known, this.#before.get(id) ?? ZERO, this.#since.get(id) ?? ZERO]);
    if (spent < limit) return;
    const resets = printMonthStart(nextMonth(month));
    const shown = { spent: printUnits(spent), limit: printUnits(limit) };
    throw new Problem('policy_limit_exceeded', {
      detail:
        `The monthly limit of this ${whose} is reached: ${shown.spent} of ${shown.limit} units are spent. ` +
        `It is reset at ${resets}.`,
      facts: { limit: `${whose}_month`, spent: shown.spent, cap: shown.limit, resets_at: resets },
    });
  }

  #add(id: string, cost: Units): void {
    this.#since.set(id, addUnits(this.#since.get(id) ?? ZERO, cost));
  }

  async #look(): Promise<void> {
    const now = this.#clock.now();
    const month = monthOf(now);
    // Whatever is charged from here on may or may not be seen; counting it twice until the next look
    // errs on the side of the limit.
    this.#before = this.#since;
    this.#since = new Map();
    try {
      this.#known = await readSpending(this.#db, { now, month });
      this.#month = month;
    } catch (error) {
      for (const [id, cost] of this.#before) this.#add(id, cost);
      throw error;
    } finally {
      this.#before = new Map();
    }
  }
}
