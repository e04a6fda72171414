/** Reserves units for a batch or a video: what it may cost counts as spent until it is settled. */
import type { Principal } from '../access/principal.ts';
import type { Queryable, Transaction } from '../database/database.ts';
import { json, sql } from '../database/sql.ts';
import { parseUnits, printUnits, type Units, ZERO } from '../kernel/units.ts';

/** What a process holds of purses, by their ids. */
export interface HeldSlices {
  readonly process: string;
  readonly parts: ReadonlyMap<string, Units>;
}

export interface NewReserve {
  /** The id of the batch or video. */
  readonly ref: string;
  readonly principal: Principal;
  readonly units: Units;
  /** What it may cost in hard budgets, by their purses. */
  readonly budgets?: ReadonlyMap<string, Units>;
  readonly slices: HeldSlices;
}

const NO_BUDGETS: ReadonlyMap<string, Units> = new Map();

/** In place of what is held of slices (`Admission.reserve`). */
export async function reserveUnits(
  tx: Transaction,
  { ref, principal, units, budgets = NO_BUDGETS, slices }: NewReserve,
): Promise<void> {
  const { spaceId, keyId, memberId, rules } = principal;
  const isLimited = rules.key.month_limit !== null || rules.member.month_limit !== null;
  // Work that counts nowhere but in budgets is not stopped: they may count only some of its lines.
  const isCap = isLimited || (budgets.size > 0 && units > ZERO);
  const inBudgets = Object.fromEntries([...budgets].map(([purse, most]) => [purse, printUnits(most)]));
  await tx.query(sql`
    insert into reserves (space_id, ref, key_id, member_id, units, is_cap, budgets)
    values (${spaceId}, ${ref}, ${keyId}, ${memberId}, ${printUnits(units)}, ${isCap},
      ${budgets.size === 0 ? null : json(inBudgets)}::json)`);
  const { process, parts } = slices;
  if (parts.size > 0)
    await tx.query(sql`
      select move_slices(${process}, ${[...parts.keys()]}, ${[...parts.values()].map(printUnits)}::text[]::numeric[])`);
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
