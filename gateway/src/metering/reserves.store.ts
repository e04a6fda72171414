/**
 * Reserves units for a batch: what it may cost counts as spent until it is settled. A reserve is made and ended below the
 * account of its space, so that of several submissions each sees the reserves of those before it.
 */
import type { Principal } from '../access/principal.ts';
import type { Queryable, Transaction } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import { type Month, monthOf } from '../kernel/time.ts';
import { addUnits, parseUnits, printUnits, type Units } from '../kernel/units.ts';
import { lockAccount } from '../ledger/accounts.store.ts';
import { doesNotFit } from './limit-problems.ts';
import { readKeyReserved } from './reserved.store.ts';

export interface NewReserve {
  /** The id of the batch. */
  readonly ref: string;
  readonly principal: Principal;
  readonly units: Units;
  readonly at: number;
}

/** Throws `policy_limit_exceeded` unless all of it fits into the monthly limits of the key and the member. */
export async function reserveUnits(
  tx: Transaction,
  { ref, principal, units, at }: NewReserve,
): Promise<void> {
  const { spaceId, keyId, memberId, keyMonthLimit, memberMonthLimit } = principal;
  await lockAccount(tx, spaceId);
  const isLimited = keyMonthLimit !== null || memberMonthLimit !== null;
  if (isLimited) await checkFits(tx, { principal, units, month: monthOf(at) });
  await tx.query(sql`
    insert into reserves (space_id, ref, key_id, member_id, units, is_cap)
    values (${spaceId}, ${ref}, ${keyId}, ${memberId}, ${printUnits(units)}, ${isLimited})`);
}

async function checkFits(
  tx: Transaction,
  { principal, units, month }: { principal: Principal; units: Units; month: Month },
): Promise<void> {
  const { spaceId, keyId, memberId, keyMonthLimit, memberMonthLimit } = principal;
  const of = { spaceId, keyId, memberId, month };
  const [charged, reserved] = [await readCharged(tx, of), await readKeyReserved(tx, of)];
  for (const [whose, limit] of [
    ['key', keyMonthLimit],
    ['member', memberMonthLimit],
  ] as const) {
    if (limit === null || addUnits(addUnits(charged[whose], reserved[whose]), units) <= limit) continue;
    throw doesNotFit({
      whose,
      month,
      spent: charged[whose],
      reserved: reserved[whose],
      needed: units,
      limit,
    });
  }
}

async function readCharged(
  tx: Transaction,
  of: { spaceId: string; keyId: string; memberId: string | null; month: Month },
): Promise<{ key: Units; member: Units }> {
  const [row] = await tx.query<{ key: string; member: string }>(sql`
    select coalesce(sum(t.cost) filter (where t.key_id = ${of.keyId}), 0) as key,
      coalesce(sum(t.cost) filter (where k.member_id = ${of.memberId}), 0) as member
    from month_parts t left join keys k on k.id = t.key_id
    where t.space_id = ${of.spaceId} and t.month = ${of.month}`);
  return { key: parseUnits(row?.key ?? '0'), member: parseUnits(row?.member ?? '0') };
}

/** What the work may cost before it stops; null if it does not stop. */
export async function readCap(db: Queryable, of: { spaceId: string; ref: string }): Promise<Units | null> {
  const [row] = await db.query<{ units: string }>(sql`
    select units from reserves where space_id = ${of.spaceId} and ref = ${of.ref} and is_cap`);
  return row === undefined ? null : parseUnits(row.units);
}

/** In the transaction that charges the work, after its charge. */
export async function endReserve(tx: Transaction, of: { spaceId: string; ref: string }): Promise<void> {
  await tx.query(sql`delete from reserves where space_id = ${of.spaceId} and ref = ${of.ref}`);
}
