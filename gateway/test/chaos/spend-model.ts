/** A simple model of charging, to compare the database with. */

export interface ModelGrant {
  readonly kind: 'promo' | 'paid';
  readonly amount: bigint;
  /** Null: never expires. */
  readonly expiresAt: number | null;
}

export interface Spent {
  /** What remains of each grant, in the order in which they were given. */
  readonly remaining: readonly bigint[];
  readonly overage: bigint;
}

/** Takes promo units first, the earliest to expire first, then paid units, then overage; expired units are gone. */
export function spend(grants: readonly ModelGrant[], debt: bigint, at: number): Spent {
  const remaining = grants.map((grant) => ((grant.expiresAt ?? at + 1) > at ? grant.amount : 0n));
  const usable = grants
    .map((grant, index) => ({ ...grant, index, ends: grant.expiresAt ?? Number.POSITIVE_INFINITY }))
    .filter((grant) => grant.ends > at);
  const rank = { promo: 0, paid: 1 };
  usable.sort(
    (a, b) => rank[a.kind] - rank[b.kind] || (a.ends === b.ends ? a.index - b.index : a.ends - b.ends),
  );
  let owed = debt;
  for (const { index, amount } of usable) {
    const taken = owed < amount ? owed : amount;
    remaining[index] = amount - taken;
    owed -= taken;
  }
  return { remaining, overage: owed };
}
