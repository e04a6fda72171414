/** The rows of media in kept responses. Every query is limited to its scope. */
import type { OwnerScope } from '../access/principal.ts';
import { abandonBlobs } from '../blobs/pending-blobs.store.ts';
import type { Queryable, Transaction } from '../database/database.ts';
import { sql } from '../database/sql.ts';

export interface NewMedium extends OwnerScope {
  readonly id: string;
  readonly sha256: string;
  readonly bytes: number;
}

export interface MediumUse {
  readonly responseId: string;
  readonly place: string;
  readonly scope: OwnerScope;
  readonly sha256: string;
}

/** Returns which of these digests are kept already. */
export async function findKeptMedia(
  db: Queryable,
  { spaceId, owner }: OwnerScope,
  digests: readonly string[],
): Promise<Set<string>> {
  const rows = await db.query<{ sha256: string }>(sql`
    select sha256 from kept_media
    where space_id = ${spaceId} and owner = ${owner} and sha256 = any (${digests})`);
  return new Set(rows.map(({ sha256 }) => sha256));
}

/** Returns the new ones. If two calls store the same medium, one wins. */
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

/** Returns how many were written: fewer if a medium was deleted since the lookup. */
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

/** Ids of the media that these responses use. */
export async function findMediaOf(tx: Transaction, responseIds: readonly string[]): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(sql`
    select distinct media_id as id from kept_media_uses where response_id = any (${responseIds}) order by id`);
  return rows.map(({ id }) => id);
}

/**
 * Deletes those that no response uses any more, and leaves their blobs to the blob keeper. The rows are locked by a
 * separate statement, so that the next one sees uses that were added meanwhile.
 */
export async function deleteUnusedMedia(
  tx: Transaction,
  ids: readonly string[],
): Promise<Array<{ spaceId: string; bytes: number }>> {
  await tx.query(sql`select 1 from kept_media where id = any (${ids}) order by id for update`);
  const gone = await tx.query<{ id: string; spaceId: string; bytes: number }>(sql`
    delete from kept_media m where id = any (${ids})
      and not exists (select 1 from kept_media_uses u where u.media_id = m.id)
    returning id, space_id as "spaceId", bytes`);
  await abandonBlobs(
    tx,
    gone.map(({ id }) => id),
  );
  return gone;
}
