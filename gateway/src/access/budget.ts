/** A budget: what a part of a space's calls may cost in a window. */

import type { Period } from '../kernel/period.ts';
import type { Instant } from '../kernel/time.ts';
import type { Units } from '../kernel/units.ts';

/** What it counts. Null: whatever that is. */
export interface BudgetSelector {
  readonly keyId: string | null;
  readonly memberId: string | null;
  readonly model: string | null;
  readonly endUser: string | null;
  readonly session: string | null;
  readonly tags: Readonly<Record<string, string>>;
}

export interface Budget extends BudgetSelector {
  readonly id: string;
  readonly name: string;
  /** Each value of this has a budget of its own: `key`, `member`, `model`, or what calls are attributed to. Null: there is one. */
  readonly per: string | null;
  readonly period: Period;
  readonly amount: Units;
  /** Whether calls that do not fit are refused. */
  readonly hard: boolean;
}

export interface SpaceBudget extends Budget {
  readonly spaceId: string;
  /** Of the key and the member; null: of every one. */
  readonly keyName: string | null;
  readonly memberEmail: string | null;
  readonly createdAt: Instant;
}
