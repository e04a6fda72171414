/**
 * Decides before a call whether its space, key and member may still spend. It decides from memory: the spending
 * that the database reported at the last refresh, for all processes, plus what this process charged since, plus what it
 * holds for calls whose cost is not known yet. docs/money.md says by how much a limit can be exceeded.
 */

import type { Principal } from '../access/principal.ts';
import { type Database, DatabaseUnavailable } from '../database/database.ts';
import { answeredWithin, CALL_WAIT_MS, readAgain, VIEW_MS_MAX } from '../database/deadlines.ts';
import type { Running } from '../kernel/running.ts';
import { type Clock, type Month, monthOf } from '../kernel/time.ts';
import { addUnits, subtractUnits, type Units, ZERO } from '../kernel/units.ts';
import { unavailableProblem } from '../kernel/when-available.ts';
import type { SpaceClass } from '../telemetry/call-meter.ts';
import type { CallRecorder } from './call-recorder.ts';
import { type Hold, Holds } from './holds.ts';
import { limitReached, noUnits, unitsOnHold } from './limit-problems.ts';
import { readSpending, type Spending, type Spent } from './spend.store.ts';

export const REFRESH_MS = 1_000;
const LIMITS_UNKNOWN =
  'The limits of this key cannot be checked right now. Send the call again in a few seconds.';
const NOTHING_SPENT: Spent = { charged: ZERO, reserved: ZERO };
const NOTHING: Spending = { blockedSpaces: new Set(), held: new Map(), spent: new Map() };

export interface AdmissionOptions {
  readonly db: Database;
  readonly clock: Clock;
  /** The id of this process, which holds units for calls that are in the database too. */
  readonly process?: string;
  /** How old the memory may be. While the database does not answer, it may be older. */
  readonly viewMsMax?: () => number;
  /** Has calls of this process that the database does not have yet. */
  readonly recorder?: Pick<CallRecorder, 'unappliedCosts'>;
}

export class Admission implements Running {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #process: string;
  readonly #viewMsMax: () => number;
  readonly #recorder: Pick<CallRecorder, 'unappliedCosts'> | null;
  #known = NOTHING;
  /** When the query that returned `#known` was sent. */
  #knownAtMs = Number.NEGATIVE_INFINITY;
  #month: Month = '';
  /** Charged by this process since the last refresh began, by key, member and space. */
  #since = new Map<string, Units>();
  /** Charged before that, and not yet part of a result of the database: while it is read, or not applied. */
  #before = new Map<string, Units>();
  /** The month in which the two above were charged. */
  #charging: Month = '';
  /** By key, member and space. */
  readonly #holds = new Holds();
  #refreshing: Promise<void> | null = null;
  #again = false;
  #stopRefreshing: (() => void) | null = null;

  constructor(options: AdmissionOptions) {
    this.#db = options.db;
    this.#clock = options.clock;
    this.#process = options.process ?? '';
    this.#viewMsMax = options.viewMsMax ?? (() => VIEW_MS_MAX);
    this.#recorder = options.recorder ?? null;
  }

  async start(): Promise<void> {
    await this.runOnce();
    // When a refresh fails, the next call refreshes itself and reports that the database is unavailable.
    this.#stopRefreshing = this.#clock.every(
      REFRESH_MS,
      () => void this.#refreshOnce().catch(() => undefined),
    );
  }

  async stop(): Promise<void> {
    this.#stopRefreshing?.();
    await this.#refreshing?.catch(() => undefined);
  }

  async runOnce(): Promise<void> {
    // A limit may change after the running query was sent, so a second refresh is never merged into the first.
    this.#again = this.#refreshing !== null;
    await this.#refreshOnce();
  }

  /**
   * Throws `insufficient_units` or `policy_limit_exceeded`. Null: the call may proceed, decided from memory. When
   * the memory is too old, the promise asks the database first, and rejects when the database is unavailable.
   */
  checkSpending(principal: Principal): Promise<void> | null {
    if (!this.#fresh) return this.#admitAfterRefresh(principal);
    this.#checkAll(principal);
    return null;
  }

  async #admitAfterRefresh(principal: Principal): Promise<void> {
    try {
      await answeredWithin(CALL_WAIT_MS, this.#refreshOnce());
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error;
      if (!this.#fresh) throw unavailableProblem(error, { detail: LIMITS_UNKNOWN });
    }
    this.#checkAll(principal);
  }

  get #fresh(): boolean {
    return this.#clock.elapsedMs() - this.#knownAtMs <= this.#viewMsMax();
  }

  /** Starts a refresh, or joins the running one, which ends within its deadline. */
  #refreshOnce(): Promise<void> {
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = null;
    });
    return this.#refreshing;
  }

  #checkAll(principal: Principal): void {
    this.#checkUnits(principal);
    const { keyId, memberId, keyMonthLimit, memberMonthLimit } = principal;
    if (keyMonthLimit !== null) this.#check('key', keyId, keyMonthLimit);
    if (memberMonthLimit !== null && memberId !== null) this.#check('member', memberId, memberMonthLimit);
  }

  /** `amount`: what a call of this principal may cost at most. */
  hold(principal: Principal, amount: Units): Hold {
    const { spaceId, keyId, memberId } = principal;
    const ids = memberId === null ? [spaceId, keyId] : [spaceId, keyId, memberId];
    return this.#holds.open(ids, amount, (cost) => this.spent(principal, cost));
  }

  /** Called when a charge is durable. */
  spent({ spaceId, keyId, memberId, keyMonthLimit, memberMonthLimit }: Principal, cost: Units): void {
    this.#startMonth(monthOf(this.#clock.now()));
    if (this.#known.held.has(spaceId)) this.#add(spaceId, cost);
    if (keyMonthLimit !== null) this.#add(keyId, cost);
    if (memberMonthLimit !== null && memberId !== null) this.#add(memberId, cost);
  }

  /** Whether the space may spend only what it holds, as of the last refresh. */
  spaceClass(spaceId: string): SpaceClass {
    const { held, blockedSpaces } = this.#known;
    return held.has(spaceId) || blockedSpaces.has(spaceId) ? 'prepaid' : 'postpaid';
  }

  #checkUnits({ spaceId, spaceName }: Principal): void {
    const { held, blockedSpaces } = this.#known;
    const [units, charged] = [held.get(spaceId), this.#chargedHere(spaceId)];
    if (blockedSpaces.has(spaceId) || (units !== undefined && charged >= units)) throw noUnits(spaceName);
    const onHold = this.#holds.of(spaceId);
    if (units === undefined || addUnits(charged, onHold) < units) return;
    throw unitsOnHold({ spaceName, left: subtractUnits(units, charged), onHold });
  }

  #chargedHere(id: string): Units {
    return addUnits(this.#before.get(id) ?? ZERO, this.#since.get(id) ?? ZERO);
  }

  #check(whose: 'key' | 'member', id: string, limit: Units): void {
    const month = monthOf(this.#clock.now());
    this.#startMonth(month);
    const { charged, reserved } = this.#known.spent.get(id) ?? NOTHING_SPENT;
    // Spending of the previous month does not count in this one. What is reserved does until the next refresh.
    const spent = addUnits(month === this.#month ? charged : ZERO, this.#chargedHere(id));
    const onHold = this.#holds.of(id);
    const taken = addUnits(spent, reserved);
    if (addUnits(taken, onHold) < limit) return;
    throw limitReached({ whose, month, spent, reserved, onHold: taken < limit ? onHold : ZERO, limit });
  }

  #startMonth(month: Month): void {
    if (month === this.#charging) return;
    this.#charging = month;
    this.#before = this.#ofSpaces(this.#before);
    this.#since = this.#ofSpaces(this.#since);
  }

  /** The units of spaces know no months. */
  #ofSpaces(charged: ReadonlyMap<string, Units>): Map<string, Units> {
    return new Map([...charged].filter(([id]) => this.#known.held.has(id)));
  }

  #add(id: string, cost: Units): void {
    this.#since.set(id, addUnits(this.#since.get(id) ?? ZERO, cost));
  }

  async #refresh(): Promise<void> {
    do {
      this.#again = false;
      const now = this.#clock.now();
      const month = monthOf(now);
      this.#startMonth(month);
      // Charges up to here are part of the result, and count from memory until it arrives. Later charges may or
      // may not be part of it; counting them twice until the next refresh keeps on the safe side of the limit.
      for (const [id, cost] of this.#since)
        this.#before.set(id, addUnits(this.#before.get(id) ?? ZERO, cost));
      this.#since = new Map();
      const sentAtMs = this.#clock.elapsedMs();
      const unapplied = this.#recorder?.unappliedCosts(month);
      this.#known = await readAgain(() => readSpending(this.#db, { now, month, process: this.#process }));
      this.#knownAtMs = sentAtMs;
      this.#before = new Map(unapplied);
      this.#month = month;
    } while (this.#again);
  }
}
