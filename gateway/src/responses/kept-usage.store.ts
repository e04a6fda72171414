/** How much each space keeps. Updated in the transaction that adds or deletes responses. */
import type { Queryable, Transaction } from '../database/database.ts';
import { sql } from '../database/sql.ts';

export interface KeptUsage {
  readonly spaceId: string;
  readonly responses: number;
  readonly bytes: number;
}

/** Adds the changes, which may be negative, and returns the new usage of each space. */
export async function moveUsage(tx: Transaction, changes: readonly KeptUsage[]): Promise<KeptUsage[]> {
  const sums = new Map<string, { responses: number; bytes: number }>();
  for (const { spaceId, responses, bytes } of changes) {
    const sum = sums.get(spaceId) ?? { responses: 0, bytes: 0 };
    sums.set(spaceId, { responses: sum.responses + responses, bytes: sum.bytes + bytes });
  }
  const spaces = [...sums.keys()].sort();
  const moved = spaces.map((spaceId) => sums.get(spaceId) ?? { responses: 0, bytes: 0 });
  return await tx.query<KeptUsage>(sql`
    insert into kept_usage as u (space_id, responses, bytes)
    select * from unnest(${spaces}::text[], ${moved.map(({ responses }) => String(responses))}::bigint[],
      ${moved.map(({ bytes }) => String(bytes))}::bigint[])
    on conflict (space_id) do update
      set responses = u.responses + excluded.responses, bytes = u.bytes + excluded.bytes
    returning space_id as "spaceId", responses, bytes`);
}

/** Locks in the order of space ids; called before responses of these spaces are deleted. */
export async function lockUsage(tx: Transaction, spaceIds: readonly string[]): Promise<void> {
  await tx.query(
    sql`select 1 from kept_usage where space_id = any (${spaceIds}) order by space_id for update`,
  );
}

export async function readUsage(db: Queryable): Promise<Map<string, KeptUsage>> {
  const rows = await db.query<KeptUsage>(sql`select space_id as "spaceId", responses, bytes from kept_usage`);
  return new Map(rows.map((row) => [row.spaceId, row]));
}
