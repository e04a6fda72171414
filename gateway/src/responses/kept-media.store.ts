/** The rows of media that kept responses hold. The scope is in every condition. */
import type { Queryable, Transaction } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import type { ResponseScope } from './kept-responses.store.ts';

export interface NewMedium extends ResponseScope {
  readonly id: string;
  readonly sha256: string;
  readonly bytes: number;
}

export interface MediumUse {
  readonly responseId: string;
  readonly place: string;
  readonly scope: ResponseScope;
  readonly sha256: string;
}

/** Those of these that are kept already, by their digest. */
export async function findKeptMedia(
  db: Queryable,
  { spaceId, owner }: ResponseScope,
  digests: readonly string[],
): Promise<Set<string>> {
  const rows = await db.query<{ sha256: string }>(sql`
    select sha256 from kept_media
    where space_id = ${spaceId} and owner = ${owner} and sha256 = any (${digests})`);
  return new Set(rows.map(({ sha256 }) => sha256));
}

/** Answers which were new; of the same medium from two calls one wins. */
export async function insertKeptMedia(
  tx: Transaction,
  media: readonly NewMedium[],
): Promise<Array<{ id: string; spaceId: string; bytes: number }>> {
  return await tx.query(sql`
    insert into kept_media (id, space_id, owner, sha256, bytes)
    select * from unnest(${media.map(({ id }) => id)}::text[], ${media.map(({ spaceId }) => spaceId)}::text[],
      ${media.map(({ owner }) => owner)}::text[], ${media.map(({ sha256 }) => sha256)}::text[],
      ${media.map(({ bytes }) => String(bytes))}::bigint[])
    on conflict (space_id, owner, sha256) do nothing returning id, space_id as "spaceId", bytes`);
}

/** Answers how many were written; fewer when a medium was dropped since it was looked up. */
export async function insertMediaUses(tx: Transaction, uses: readonly MediumUse[]): Promise<number> {
  const rows = await tx.query(sql`
    insert into kept_media_uses (response_id, place, media_id)
    select u.response_id, u.place, m.id
    from unnest(${uses.map(({ responseId }) => responseId)}::text[], ${uses.map(({ place }) => place)}::text[],
      ${uses.map(({ scope }) => scope.spaceId)}::text[], ${uses.map(({ scope }) => scope.owner)}::text[],
      ${uses.map(({ sha256 }) => sha256)}::text[]) as u (response_id, place, space_id, owner, sha256)
    join kept_media m on m.space_id = u.space_id and m.owner = u.owner and m.sha256 = u.sha256
    on conflict (response_id, place) do update set media_id = excluded.media_id returning place`);
  return rows.length;
}

/** Ids of the media that these responses hold. */
export async function findMediaOf(tx: Transaction, responseIds: readonly string[]): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(sql`
    select distinct media_id as id from kept_media_uses where response_id = any (${responseIds}) order by id`);
  return rows.map(({ id }) => id);
}

/**
 * Deletes those of these that nothing holds any more, and leaves their blobs to the keeper of blobs. The rows
 * are locked by a statement of their own, so that the next one sees who began to hold them meanwhile.
 */
export async function deleteUnusedMedia(
  tx: Transaction,
  ids: readonly string[],
): Promise<Array<{ spaceId: string; bytes: number }>> {
  await tx.query(sql`select 1 from kept_media where id = any (${ids}) order by id for update`);
  return await tx.query(sql`
    with gone as (
      delete from kept_media m where id = any (${ids})
        and not exists (select 1 from kept_media_uses u where u.media_id = m.id)
      returning id, space_id, bytes
    ), noted as (
      insert into pending_blobs (name, lease_until) select id, '-infinity' from gone on conflict do nothing
    )
    select space_id as "spaceId", bytes from gone`);
}
