/** Charges calls at a given time, through the same SQL function as the product. */
import type { Queryable } from '../../src/database/database.ts';
import { sql } from '../../src/database/sql.ts';
import type { CallRecord } from '../../src/metering/call-record.ts';
import { callRow, joinRows } from '../../src/metering/call-record.ts';
import { recordCalls } from '../../src/metering/calls.store.ts';
import { callOf } from '../chaos/books.ts';

export interface ChargedCall extends Partial<CallRecord> {
  /** The name of the key, which also identifies the space. */
  readonly key: string;
  /** A decimal string; null: unknown. */
  readonly cost: string | null;
  /** An ISO date-time. */
  readonly at: string;
}

/** Returns the ids of the calls. `at`: when the charge is written to the journal. */
export async function chargeCalls(
  db: Queryable,
  calls: readonly ChargedCall[],
  at: number = Date.now(),
): Promise<string[]> {
  const keys = await db.query<{ id: string; name: string; space: string; member: string | null }>(
    sql`select id, name, space_id as space, member_id as member from keys`,
  );
  const records = calls.map(({ key, cost, at: time, ...more }) => {
    const found = keys.find(({ name }) => name === key);
    if (found === undefined) throw new Error(`no key ${key}`);
    const chargedAt = Date.parse(time);
    return callOf(found.space, cost, { keyId: found.id, memberId: found.member, chargedAt, ...more });
  });
  const spaces = [...new Set(records.map(({ spaceId }) => spaceId))];
  await recordCalls(db, { rows: joinRows(records.map(callRow)), spaces, at });
  return records.map(({ id }) => id);
}
