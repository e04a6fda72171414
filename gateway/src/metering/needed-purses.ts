/** Which purses a call needs: the units of its space, the limits of its key and member, and hard budgets. Pure. */
import type { Principal } from '../access/principal.ts';
import { windowOf } from '../kernel/period.ts';
import { type Instant, type Month, monthOf } from '../kernel/time.ts';
import { type MatchedBudget, purseOf } from './budgets/match-budgets.ts';
import type { NeededPurse } from './purses/purse-book.ts';

interface MonthPurses {
  /** The first and the last one. */
  readonly months: readonly [Month, Month];
  readonly purses: readonly NeededPurse[];
}

/** Principals are kept between calls. */
const known = new WeakMap<Principal, MonthPurses>();

/** `forMs`: for so long the month may end. */
export function pursesOf(principal: Principal, now: Instant, forMs = 0): readonly NeededPurse[] {
  const first = monthOf(now);
  const last = forMs === 0 ? first : monthOf(now + forMs);
  let found = known.get(principal);
  if (found?.months[0] !== first || found.months[1] !== last) {
    const purses = readPurses(principal, first === last ? [first] : [first, last]);
    found = { months: [first, last], purses };
    known.set(principal, found);
  }
  return found.purses;
}

function readPurses(principal: Principal, months: readonly Month[]): readonly NeededPurse[] {
  const { spaceId, keyId, memberId, rules, overageAllowed } = principal;
  const [keyLimit, memberLimit] = [rules.key.month_limit, rules.member.month_limit];
  const purses: NeededPurse[] = [];
  if (!overageAllowed)
    purses.push({ name: { kind: 'space', id: spaceId, spaceId, window: null }, limit: null });
  for (const window of months) {
    if (keyLimit !== null)
      purses.push({ name: { kind: 'key', id: keyId, spaceId, window }, limit: keyLimit });
    if (memberLimit !== null && memberId !== null)
      purses.push({ name: { kind: 'member', id: memberId, spaceId, window }, limit: memberLimit });
  }
  return purses;
}

/** Those of the hard ones, in every window in which a call between these times may end. */
export function pursesOfBudgets(
  budgets: readonly MatchedBudget[],
  { spaceId }: Principal,
  [from, until]: readonly [Instant, Instant],
): NeededPurse[] {
  const purses: NeededPurse[] = [];
  for (const matched of budgets) {
    if (!matched.budget.hard) continue;
    const { period } = matched;
    const of = { kind: 'budget', id: purseOf(matched), spaceId, period } as const;
    const [first, last] = [windowOf(period, from), windowOf(period, until)];
    for (const window of first === last ? [first] : [first, last])
      purses.push({ name: { ...of, window: window === '' ? null : window }, limit: null });
  }
  return purses;
}
