/** The rows of kept responses. Every lookup is limited to its scope. */
import type { OwnerScope } from '../access/principal.ts';
import { type Queryable, type Transaction, timestamp } from '../database/database.ts';
import { type Sql, sql } from '../database/sql.ts';
import type { Instant } from '../kernel/time.ts';

/** Of a background response. Null: it has an answer, as all others have. */
export type KeptState = 'running' | 'failed' | 'cancelled' | null;

export interface KeptResponse extends OwnerScope {
  readonly id: string;
  readonly previousId: string | null;
  /** Items as JSON text, without their media. */
  readonly input: string;
  readonly output: string;
  /** The rest of the response object as JSON text, without its cost. */
  readonly head: string;
  readonly itemIds: readonly string[];
  /** Absent: null. */
  readonly state?: KeptState;
  readonly expiresAt: Instant;
  /** Its size in the quota, without media. */
  readonly bytes: number;
}

export interface KeptTurn {
  readonly id: string;
  readonly state: KeptState;
  readonly previousId: string | null;
  readonly input: string;
  readonly output: string;
  /** Null if there are none. */
  readonly media: readonly KeptMedium[] | null;
}

export interface KeptMedium {
  readonly id: string;
  /** `input/…` or `output/…`. */
  readonly place: string;
  readonly bytes: number;
}

/** Returns the sizes of the new ones. */
export async function insertKeptResponses(
  tx: Transaction,
  kept: readonly KeptResponse[],
): Promise<Array<{ spaceId: string; bytes: number }>> {
  const expiries = kept.map(({ expiresAt }) => timestamp(expiresAt));
  const added = await tx.query<{ spaceId: string; bytes: number }>(sql`
    insert into kept_responses (id, space_id, owner, previous_id, input, output, head, expires_at, bytes, state)
    select id, space_id, owner, nullif(previous_id, ''), input, output, head, expires_at, bytes, nullif(state, '')
    from unnest(${kept.map(({ id }) => id)}::text[], ${kept.map(({ spaceId }) => spaceId)}::text[],
      ${kept.map(({ owner }) => owner)}::text[], ${kept.map(({ previousId }) => previousId ?? '')}::text[],
      ${kept.map(({ input }) => input)}::text[], ${kept.map(({ output }) => output)}::text[],
      ${kept.map(({ head }) => head)}::text[], ${expiries}::timestamptz[],
      ${kept.map(({ bytes }) => String(bytes))}::bigint[], ${kept.map(({ state }) => state ?? '')}::text[])
      as kept (id, space_id, owner, previous_id, input, output, head, expires_at, bytes, state)
    on conflict (id) do nothing returning space_id as "spaceId", bytes`);
  await insertItems(tx, kept);
  return added;
}

async function insertItems(
  tx: Transaction,
  kept: readonly Pick<KeptResponse, 'id' | 'itemIds'>[],
): Promise<void> {
  const items = kept.flatMap(({ id, itemIds }) => itemIds.map((item) => ({ id, item })));
  if (items.length === 0) return;
  await tx.query(sql`
    insert into kept_items (id, response_id)
    select * from unnest(${items.map(({ item }) => item)}::text[], ${items.map(({ id }) => id)}::text[])
    on conflict do nothing`);
}

/** A background response that has not ended; null if there is none. */
export async function findRunningResponse(
  db: Queryable,
  { id, spaceId }: { id: string; spaceId: string },
): Promise<{ owner: string; head: string } | null> {
  const [row] = await db.query<{ owner: string; head: string }>(sql`
    select owner, head from kept_responses where id = ${id} and space_id = ${spaceId} and state = 'running'`);
  return row ?? null;
}

/** The end of a background response. */
export interface ResponseEnd extends Pick<KeptResponse, 'id' | 'spaceId' | 'output' | 'head' | 'itemIds'> {
  readonly state: Exclude<KeptState, 'running'>;
  /** Of the output and the head. */
  readonly bytes: number;
}

/** Returns the growth of the response; null if it was deleted. */
export async function endResponse(tx: Transaction, end: ResponseEnd): Promise<number | null> {
  const [row] = await tx.query<{ grown: number }>(sql`
    update kept_responses k set output = ${end.output}, head = ${end.head}, state = ${end.state},
      bytes = k.bytes + ${end.bytes} - octet_length(coalesce(k.head, '')) - octet_length(k.output)
    from (select id, bytes from kept_responses where id = ${end.id}) before
    where k.id = ${end.id} and k.space_id = ${end.spaceId} and k.state = 'running'
    returning (k.bytes - before.bytes)::int as grown`);
  if (row === undefined) return null;
  await insertItems(tx, [end]);
  return row.grown;
}

/** The media of a response, or of one side of it. */
export function mediaOf(response: Sql, list: 'input' | 'output' | '' = ''): Sql {
  const places = list === '' ? sql`` : sql` and u.place like ${`${list}/%`}`;
  return sql`(select json_agg(json_build_object('id', m.id, 'place', u.place, 'bytes', m.bytes))
      from kept_media_uses u join kept_media m on m.id = u.media_id where u.response_id = ${response}${places})`;
}

/** The response and all earlier ones of its conversation, oldest first; empty if it is not kept in this scope. */
export async function findChain(
  db: Queryable,
  id: string,
  at: OwnerScope & { now: Instant; turnsMax: number },
): Promise<KeptTurn[]> {
  return await db.query<KeptTurn>(sql`
    with recursive chain as (
      select id, previous_id, input, output, state, 1 as turn from kept_responses
      where id = ${id} and space_id = ${at.spaceId} and owner = ${at.owner}
        and expires_at > ${timestamp(at.now)}
      union all
      select k.id, k.previous_id, k.input, k.output, k.state, c.turn + 1
      from chain c join kept_responses k on k.id = c.previous_id
      where k.space_id = ${at.spaceId} and k.owner = ${at.owner} and k.expires_at > ${timestamp(at.now)}
        and c.turn < ${at.turnsMax}
    )
    select id, previous_id as "previousId", input, output, state, ${mediaOf(sql`chain.id`)} as media
    from chain order by turn desc`);
}

/** The responses that these items belong to. */
export async function findTurnsWithItems(
  db: Queryable,
  itemIds: readonly string[],
  at: OwnerScope & { now: Instant },
): Promise<KeptTurn[]> {
  return await db.query<KeptTurn>(sql`
    select r.id, r.previous_id as "previousId", '[]' as input, r.output, r.state,
      ${mediaOf(sql`r.id`, 'output')} as media
    from kept_responses r
    where r.id in (select response_id from kept_items where id = any (${itemIds}))
      and r.space_id = ${at.spaceId} and r.owner = ${at.owner} and r.expires_at > ${timestamp(at.now)}`);
}

/** At most `rowsMax`, so that a sweep does not delay others for long. */
export async function findExpiredResponses(
  db: Queryable,
  now: Instant,
  rowsMax: number,
): Promise<Array<{ id: string; spaceId: string }>> {
  return await db.query(sql`
    select id, space_id as "spaceId" from kept_responses
    where expires_at <= ${timestamp(now)} order by expires_at limit ${rowsMax}`);
}

/** The oldest responses of a space with at least `bytes` in total; at most `rowsMax`. */
export async function findOldestResponses(
  tx: Transaction,
  spaceId: string,
  { bytes, rowsMax }: { bytes: number; rowsMax: number },
): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(sql`
    select id from (
      select id, sum(bytes) over (order by expires_at, id) - bytes as before from (
        select id, bytes, expires_at from kept_responses
        where space_id = ${spaceId} and state is distinct from 'running'
        order by expires_at, id limit ${rowsMax}) oldest) summed
    where before < ${bytes}`);
  return rows.map(({ id }) => id);
}

/** Returns the sizes of the deleted ones. */
export async function deleteResponses(
  tx: Transaction,
  ids: readonly string[],
): Promise<Array<{ spaceId: string; bytes: number }>> {
  return await tx.query(
    sql`delete from kept_responses where id = any (${ids}) returning space_id as "spaceId", bytes`,
  );
}
