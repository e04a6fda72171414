/** The rows of kept responses. Every look-up has the scope in its condition. */
import { type Queryable, type Transaction, timestamp } from '../database/database.ts';
import { LONG_ANSWER_MS } from '../database/deadlines.ts';
import { sql, within } from '../database/sql.ts';
import type { Instant } from '../kernel/time.ts';

/** Whose responses: nobody outside can tell whether one exists. */
export interface ResponseScope {
  readonly spaceId: string;
  /** The member of a personal key, the key itself of a shared one. */
  readonly owner: string;
}

export interface KeptResponse extends ResponseScope {
  readonly id: string;
  readonly previousId: string | null;
  /** Items as JSON text. */
  readonly input: string;
  readonly output: string;
  readonly itemIds: readonly string[];
  readonly expiresAt: Instant;
}

export interface KeptTurn {
  readonly previousId: string | null;
  readonly input: string;
  readonly output: string;
}

export async function insertKeptResponses(tx: Transaction, kept: readonly KeptResponse[]): Promise<void> {
  const expiries = kept.map(({ expiresAt }) => timestamp(expiresAt));
  await tx.query(sql`
    insert into kept_responses (id, space_id, owner, previous_id, input, output, expires_at)
    select id, space_id, owner, nullif(previous_id, ''), input, output, expires_at
    from unnest(${kept.map(({ id }) => id)}::text[], ${kept.map(({ spaceId }) => spaceId)}::text[],
      ${kept.map(({ owner }) => owner)}::text[], ${kept.map(({ previousId }) => previousId ?? '')}::text[],
      ${kept.map(({ input }) => input)}::text[], ${kept.map(({ output }) => output)}::text[],
      ${expiries}::timestamptz[])
      as kept (id, space_id, owner, previous_id, input, output, expires_at)
    on conflict (id) do nothing`);
  const items = kept.flatMap(({ id, itemIds }) => itemIds.map((item) => ({ id, item })));
  if (items.length === 0) return;
  await tx.query(sql`
    insert into kept_items (id, response_id)
    select * from unnest(${items.map(({ item }) => item)}::text[], ${items.map(({ id }) => id)}::text[])
    on conflict do nothing`);
}

/** The response and all it continues, oldest first; empty when it is not kept in this scope. */
export async function findChain(
  db: Queryable,
  id: string,
  at: ResponseScope & { now: Instant; turnsMax: number },
): Promise<KeptTurn[]> {
  return await db.query<KeptTurn>(sql`
    with recursive chain as (
      select id, previous_id, input, output, 1 as turn from kept_responses
      where id = ${id} and space_id = ${at.spaceId} and owner = ${at.owner}
        and expires_at > ${timestamp(at.now)}
      union all
      select k.id, k.previous_id, k.input, k.output, c.turn + 1
      from chain c join kept_responses k on k.id = c.previous_id
      where k.space_id = ${at.spaceId} and k.owner = ${at.owner} and k.expires_at > ${timestamp(at.now)}
        and c.turn < ${at.turnsMax}
    )
    select previous_id as "previousId", input, output from chain order by turn desc`);
}

/** The outputs of the responses that these items belong to. */
export async function findOutputsWithItems(
  db: Queryable,
  itemIds: readonly string[],
  at: ResponseScope & { now: Instant },
): Promise<string[]> {
  const rows = await db.query<{ output: string }>(sql`
    select distinct r.output from kept_items i join kept_responses r on r.id = i.response_id
    where i.id = any (${itemIds}) and r.space_id = ${at.spaceId} and r.owner = ${at.owner}
      and r.expires_at > ${timestamp(at.now)}`);
  return rows.map(({ output }) => output);
}

/** Answers how many were deleted; at most `rowsMax`, so that no delete holds others up for long. */
export async function deleteExpiredResponses(db: Queryable, now: Instant, rowsMax: number): Promise<number> {
  const rows = await db.query(
    within(
      LONG_ANSWER_MS,
      sql`
    delete from kept_responses where id in (
      select id from kept_responses where expires_at <= ${timestamp(now)} order by expires_at limit ${rowsMax} for update skip locked)
    returning id`,
    ),
  );
  return rows.length;
}
