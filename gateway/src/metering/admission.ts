/**
 * Decides before a call whether its space, key and member may still spend, and holds what the call may cost. The units of a
 * space without overage, the monthly limits of keys and members and hard budgets are purses (`purses/purse-book.ts`).
 * docs/money.md says by how much a limit can be exceeded.
 */
import type { Principal } from '../access/principal.ts';
import { DatabaseUnavailable } from '../database/database.ts';
import { answeredWithin, CALL_WAIT_MS } from '../database/deadlines.ts';
import { type Clock, type Month, monthOf } from '../kernel/time.ts';
import { NamedTurns } from '../kernel/turns.ts';
import { subtractUnits, sumUnits, type Units } from '../kernel/units.ts';
import { unavailableProblem } from '../kernel/when-available.ts';
import { budgetRefused } from './budgets/budget-problems.ts';
import { type CallBudgets, type MatchedBudget, purseOf } from './budgets/match-budgets.ts';
import type { RowCharge } from './call-recorder.ts';
import { noUnits, refusalProblem } from './limit-problems.ts';
import { pursesOf, pursesOfBudgets } from './needed-purses.ts';
import { ExpectedCosts } from './purses/expected-costs.ts';
import { type Hold, NO_HOLD } from './purses/hold.ts';
import type { NeededPurse, PurseBook } from './purses/purse-book.ts';
import type { PurseRefusal } from './purses/purse-refusal.ts';
import type { HeldSlices } from './reserves.store.ts';

const LIMITS_UNKNOWN =
  'The limits of this key cannot be checked right now. Send the call again in a few seconds.';

export interface AdmissionOptions {
  readonly clock: Clock;
  readonly book: Pick<PurseBook, 'hold' | 'reserve' | 'forgetAnswers' | 'charge'>;
  /** The id of this process. */
  readonly process: () => string;
  /** How long a call can take until it is charged. */
  readonly callMsMax: number;
  /** Where people ask for more; null: nowhere. */
  readonly publicUrl?: string | null;
  /** What a call of a key and model cost on average this month; null if there was none. */
  readonly meanCost: (of: CallKind & { month: Month }) => Promise<Units | null>;
}

interface CallKind {
  readonly spaceId: string;
  readonly keyId: string;
  readonly model: string;
}

/** What a call may cost. Asked only if it matters. */
export interface AdmittedCost {
  /** With hard limits an upper bound, else a guess. */
  atMost(): Units;
  /** What it costs at most if it is made to fit into `left`; null: it cannot. */
  fit?(left: Units): Units | null;
}

export interface Reservation {
  /** Runs the transaction that stores the reserve. No slice of this process changes meanwhile, so it has to be short. */
  store<T>(transaction: (slices: HeldSlices) => Promise<T>): Promise<T>;
}

/** Where nothing limits what is spent. */
export function noReservation(process: string): Reservation {
  return { store: (transaction) => transaction({ process, parts: NO_HOLD.parts }) };
}

interface AdmittedCall {
  readonly model: string;
  readonly cost: AdmittedCost;
  /** Absent or null: it has none. */
  readonly budgets?: CallBudgets | null;
}

/** What work may cost that is charged later. */
export interface Reserve {
  readonly units: Units;
  /** All of it has to fit; else anything that is left is enough. */
  readonly whole: boolean;
  /** What it may cost in hard budgets. All of that has to fit. */
  readonly budgets?: ReadonlyMap<MatchedBudget, Units>;
}

export class Admission {
  readonly #options: AdmissionOptions;
  readonly #expected = new ExpectedCosts();
  readonly #reserving = new NamedTurns();
  /** What is being asked for, by key and model. */
  readonly #means = new Map<string, Promise<Units | null>>();

  constructor(options: AdmissionOptions) {
    this.#options = options;
  }

  /**
   * Throws `insufficient_units` or `policy_limit_exceeded`. The hold has to be settled or released. A promise asks the
   * database first, and rejects when that is unavailable.
   */
  admit(principal: Principal, call: AdmittedCall): Hold | Promise<Hold> {
    if (principal.blocked) throw noUnits(principal.spaceName);
    const { clock, callMsMax } = this.#options;
    const { budgets } = call;
    const now = clock.now();
    const hard = principal.hardLimits || budgets?.hard === true;
    // A call counts in the month in which it ends. What is hard must suffice in either.
    const ofPrincipal = pursesOf(principal, now, hard ? callMsMax : 0);
    const purses =
      budgets?.hard === true
        ? [...ofPrincipal, ...pursesOfBudgets(budgets.all, principal, [now, now + callMsMax])]
        : ofPrincipal;
    if (purses.length === 0) return NO_HOLD;
    if (hard) return this.#admitHard(principal, purses, call);
    const expected = this.#expected.of(principal.keyId, call.model);
    if (expected === null) return this.#admitUnknown(principal, purses, call);
    const hold = this.#options.book.hold({
      purses,
      amount: expected,
      hard,
      settled: this.#noted(principal, call),
    });
    return hold instanceof Promise
      ? this.#answered(hold, principal, expected)
      : this.#admitted(hold, principal, expected);
  }

  /**
   * Holds what a batch or a video may cost while `work` submits it. Several that have to fit take turns in a space: each sees
   * what the one before has reserved.
   */
  async reserve<T>(
    principal: Principal,
    { units, whole, budgets = new Map() }: Reserve,
    work: (reservation: Reservation) => Promise<T>,
  ): Promise<T> {
    if (principal.blocked) throw noUnits(principal.spaceName);
    const { book, clock, process } = this.#options;
    const now = clock.now();
    const ofBudgets = [...budgets].flatMap(([budget, amount]) =>
      pursesOfBudgets([budget], principal, [now, now]).map((purse) => ({ ...purse, amount })),
    );
    const purses = [...pursesOf(principal, now), ...ofBudgets];
    if (purses.length === 0) return await work(noReservation(process()));
    const hard = whole || principal.hardLimits || ofBudgets.length > 0;
    const request = { purses, amount: units, hard, asks: true };
    const submit = async (): Promise<T> => {
      const hold = await this.#answered(book.hold(request), principal, units, [...budgets.keys()]);
      try {
        return await work({
          store: (store) => book.reserve(hold, () => store({ process: process(), parts: hold.parts })),
        });
      } finally {
        // Unless it is reserved.
        hold.release();
      }
    };
    return whole || ofBudgets.length > 0
      ? await this.#reserving.run(principal.spaceId, submit)
      : await submit();
  }

  /** A durable charge that nothing was held for. */
  charged({ spaceId, ids, budgets, month: window, cost }: RowCharge): void {
    const { book } = this.#options;
    book.charge({ kind: 'space', id: spaceId, spaceId, window: null }, cost);
    for (const id of ids) {
      book.charge({ kind: 'key', id, spaceId, window }, cost);
      book.charge({ kind: 'member', id, spaceId, window }, cost);
    }
    for (const { purse: id, window: ofBudget } of budgets)
      book.charge({ kind: 'budget', id, spaceId, window: ofBudget === '' ? null : ofBudget }, cost);
  }

  /** Limits or units may have changed. */
  async runOnce(): Promise<void> {
    this.#options.book.forgetAnswers();
  }

  /** All that the call may cost must be there. If it is not, the call may be made to fit into what is left. */
  #admitHard(
    principal: Principal,
    purses: readonly NeededPurse[],
    { cost, budgets }: AdmittedCall,
  ): Hold | Promise<Hold> {
    const { book } = this.#options;
    const amount = cost.atMost();
    const hold = book.hold({ purses, amount, hard: true });
    if (!(hold instanceof Promise) && !('refused' in hold)) return hold;
    return this.#heldInTime(hold).then((answer) => {
      if (!('refused' in answer)) return answer;
      const fitting = cost.fit?.(leftOf(answer)) ?? null;
      if (fitting === null) return this.#admitted(answer, principal, amount, budgets?.all);
      const again = book.hold({ purses, amount: fitting, hard: true });
      return this.#answered(again, principal, fitting, budgets?.all);
    });
  }

  /** The first call of a key and model in this process: others may know what it costs. */
  async #admitUnknown(
    principal: Principal,
    purses: readonly NeededPurse[],
    call: AdmittedCall,
  ): Promise<Hold> {
    const { clock, book, meanCost } = this.#options;
    const { spaceId, keyId } = principal;
    const { model, cost } = call;
    const name = `${keyId} ${model}`;
    const asking = this.#means.get(name) ?? meanCost({ spaceId, keyId, model, month: monthOf(clock.now()) });
    this.#means.set(name, asking);
    const mean = await this.#within(asking).finally(() => this.#means.delete(name));
    const amount = this.#expected.start(keyId, model, mean) ?? cost.atMost();
    const request = { purses, amount, hard: false, settled: this.#noted(principal, call) };
    return await this.#answered(book.hold(request), principal, amount);
  }

  #noted({ keyId }: Principal, { model }: AdmittedCall): (cost: Units) => void {
    return (cost) => this.#expected.note(keyId, model, cost);
  }

  async #answered(
    holding: Hold | PurseRefusal | Promise<Hold | PurseRefusal>,
    principal: Principal,
    amount: Units,
    budgets?: readonly MatchedBudget[],
  ): Promise<Hold> {
    return this.#admitted(await this.#heldInTime(holding), principal, amount, budgets);
  }

  #admitted(
    hold: Hold | PurseRefusal,
    { spaceName }: Principal,
    amount: Units,
    budgets: readonly MatchedBudget[] = [],
  ): Hold {
    if (!('refused' in hold)) return hold;
    const { refused } = hold;
    const budget = budgets.find((one) => purseOf(one) === refused.id);
    if (refused.kind !== 'budget' || budget === undefined) throw refusalProblem(hold, { spaceName, amount });
    throw budgetRefused(hold, { budget, amount, spaceName, publicUrl: this.#options.publicUrl ?? null });
  }

  async #heldInTime(
    holding: Hold | PurseRefusal | Promise<Hold | PurseRefusal>,
  ): Promise<Hold | PurseRefusal> {
    const late = Promise.resolve(holding);
    try {
      return await this.#within(late);
    } catch (error) {
      // An answer that comes too late must not hold anything.
      late.then((hold) => 'release' in hold && hold.release()).catch(() => undefined);
      throw error;
    }
  }

  async #within<T>(asked: Promise<T>): Promise<T> {
    try {
      return await answeredWithin(CALL_WAIT_MS, asked);
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error;
      throw unavailableProblem(error, { detail: LIMITS_UNKNOWN });
    }
  }
}

function leftOf({ limit, spent, reserved, held }: PurseRefusal): Units {
  return subtractUnits(limit, sumUnits([spent, reserved, held]));
}
