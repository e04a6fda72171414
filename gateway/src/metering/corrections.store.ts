/**
 * What a call should have cost. The call stays as it was charged; the difference is an entry of the
 * journal, and the totals of the call's own month and day follow, so a report tells what its calls
 * really cost.
 */
import { type Queryable, type Transaction, timestamp } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import { newId } from '../kernel/ids.ts';
import type { Instant } from '../kernel/time.ts';
import { negateUnits, parseUnits, printUnits, subtractUnits, type Units, ZERO } from '../kernel/units.ts';
import { lowerOverage } from '../ledger/accounts.store.ts';
import { insertGrant } from '../ledger/grants.store.ts';
import { insertEntry, lockAccount, takeUnits } from '../ledger/journal.store.ts';
import { loweredEntry, type NewEntry, raisedEntry, splitGivenBack } from '../ledger/postings.ts';

/** What a call was charged, with all corrections so far. */
export interface ChargedCall {
  readonly id: string;
  readonly spaceId: string;
  readonly keyId: string;
  readonly model: string;
  readonly month: string;
  /** Null: not known. */
  readonly cost: Units | null;
}

export interface Correction {
  readonly callId: string;
  /** What it should have cost. */
  readonly cost: Units;
  readonly note: string;
  readonly at: Instant;
}

/** A call that produced nothing owes nothing, so there is nothing of it to correct. */
export async function findChargedCall(db: Queryable, id: string): Promise<ChargedCall | null> {
  const [row] = await db.query<Omit<ChargedCall, 'cost'> & { cost: string | null }>(sql`
    select id, space_id as "spaceId", key_id as "keyId", model, month, coalesce((
      select cost_after from corrections where call_id = calls.id order by id desc limit 1), cost) as cost
    from calls where id = ${id} and outcome <> 'failed'`);
  if (row === undefined) return null;
  return { ...row, cost: row.cost === null ? null : parseUnits(row.cost) };
}

/** Answers the call as it was before; null when there is no such call. */
export async function correctCall(tx: Transaction, correction: Correction): Promise<ChargedCall | null> {
  const { callId, cost, note, at } = correction;
  const known = await findChargedCall(tx, callId);
  if (known === null) return null;
  await lockAccount(tx, known.spaceId);
  // Another correction may have come first; now none can.
  const call = (await findChargedCall(tx, callId)) ?? known;
  const difference = subtractUnits(cost, call.cost ?? ZERO);
  const entry = await entryOf(tx, { call, note, at }, difference);
  const entryId = entry === null ? null : await insertEntry(tx, entry);
  await tx.query(sql`
    insert into corrections (call_id, entry_id, cost_before, cost_after, note, at)
    values (${call.id}, ${entryId}, ${call.cost === null ? null : printUnits(call.cost)},
      ${printUnits(cost)}, ${note}, ${timestamp(at)})`);
  await moveTotals(tx, call, difference);
  return call;
}

async function entryOf(
  tx: Transaction,
  correction: { call: ChargedCall; note: string; at: Instant },
  difference: Units,
): Promise<NewEntry | null> {
  if (difference === ZERO) return null;
  const { call, note, at } = correction;
  const facts = { callId: call.id, spaceId: call.spaceId, note, at };
  if (difference > ZERO) {
    const taken = await takeUnits(tx, { spaceId: call.spaceId, amount: difference, now: at });
    return raisedEntry(facts, difference, taken);
  }
  const back = splitGivenBack(negateUnits(difference), await lockAccount(tx, call.spaceId));
  const grantId = newId('grt', at);
  if (back.overage > ZERO) await lowerOverage(tx, call.spaceId, back.overage);
  if (back.paid > ZERO) {
    const given = { id: grantId, spaceId: call.spaceId, kind: 'paid', amount: back.paid } as const;
    await insertGrant(tx, { ...given, expiresAt: null, note: `correction of ${call.id}`, createdAt: at });
  }
  return loweredEntry(facts, back, grantId);
}

async function moveTotals(tx: Transaction, call: ChargedCall, difference: Units): Promise<void> {
  const amount = printUnits(difference);
  const priced = call.cost === null ? 1 : 0;
  await tx.query(sql`
    update month_totals set cost = cost + ${amount}, unpriced = unpriced - ${priced}
    where space_id = ${call.spaceId} and month = ${call.month} and key_id = ${call.keyId} and model = ${call.model}`);
  await tx.query(sql`
    update day_totals set cost = cost + ${amount}, unpriced = unpriced - ${priced}
    where space_id = ${call.spaceId} and model = ${call.model}
      and day = (select korean_day(charged_at) from calls where id = ${call.id})`);
}
