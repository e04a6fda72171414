/**
 * The rows of references. Lookups are limited to a space: any key of the space may use its references. Lists have only
 * those of their owner.
 */
import type { OwnerScope } from '../access/principal.ts';
import type { ReferenceKind, ReferenceTrack } from '../contract/reference-kinds.ts';
import { type Queryable, type Transaction, timestamp } from '../database/database.ts';
import { type PageById, pageById } from '../database/page-by-id.ts';
import { sql } from '../database/sql.ts';
import { DAY_MS } from '../kernel/durations.ts';
import type { Instant } from '../kernel/time.ts';

/** How long a reference is kept after its upload and after each use. */
export const REFERENCE_MS = 30 * DAY_MS;

export interface StoredReference {
  /** Also the name of its blob. */
  readonly id: string;
  readonly spaceId: string;
  /** Who uploaded it. */
  readonly owner: string;
  readonly track: ReferenceTrack;
  readonly kind: ReferenceKind;
  readonly mimeType: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly createdAt: Instant;
  readonly expiresAt: Instant;
}

const columns = sql`id, space_id as "spaceId", owner, track, kind, mime_type as "mimeType", bytes, sha256,
  created_at as "createdAt", expires_at as "expiresAt"`;

export async function insertReference(tx: Transaction, reference: StoredReference): Promise<void> {
  const { id, spaceId, owner, track, kind, mimeType, bytes, sha256, createdAt, expiresAt } = reference;
  await tx.query(sql`
    insert into reference_files (id, space_id, owner, track, kind, mime_type, bytes, sha256, created_at, expires_at)
    values (${id}, ${spaceId}, ${owner}, ${track}, ${kind}, ${mimeType}, ${bytes}, ${sha256},
      ${timestamp(createdAt)}, ${timestamp(expiresAt)})`);
}

/** Null also for one of another space, so that its existence is not revealed. */
export async function findReference(
  db: Queryable,
  id: string,
  at: { spaceId: string; now: Instant },
): Promise<StoredReference | null> {
  const reference = await findAnyReference(db, id, at.now);
  return reference?.spaceId === at.spaceId ? reference : null;
}

/** Of any space: the caller decides who may see it. */
export async function findAnyReference(
  db: Queryable,
  id: string,
  now: Instant,
): Promise<StoredReference | null> {
  const [row] = await db.query<StoredReference>(sql`
    select ${columns} from reference_files where id = ${id} and expires_at > ${timestamp(now)}`);
  return row ?? null;
}

export async function findReferencePage(
  db: Queryable,
  at: OwnerScope & { now: Instant },
  page: PageById,
): Promise<StoredReference[]> {
  return await db.query<StoredReference>(sql`
    select ${columns} from reference_files
    where space_id = ${at.spaceId} and owner = ${at.owner} and expires_at > ${timestamp(at.now)}
      and ${pageById(page)}`);
}

/**
 * Extends a reference that was used: it is kept for 30 days from now. Written at most once a day, so that frequent use
 * costs nothing; an expired one is not revived, because its blob may be deleted.
 */
export async function touchReference(
  db: Queryable,
  { id, expiresAt }: Pick<StoredReference, 'id' | 'expiresAt'>,
  now: Instant,
): Promise<void> {
  const kept = now + REFERENCE_MS;
  if (expiresAt > kept - DAY_MS) return;
  await db.query(sql`
    update reference_files set expires_at = ${timestamp(kept)}
    where id = ${id} and expires_at > ${timestamp(now)} and expires_at < ${timestamp(kept)}`);
}

/** Expired references, at most `rowsMax`, oldest first. */
export async function findExpiredReferences(
  db: Queryable,
  now: Instant,
  rowsMax: number,
): Promise<Array<{ id: string; blob: string }>> {
  return await db.query(sql`
    select id, id as blob from reference_files
    where expires_at <= ${timestamp(now)} order by expires_at limit ${rowsMax}`);
}

export async function deleteReference(db: Queryable, id: string): Promise<void> {
  await db.query(sql`delete from reference_files where id = ${id}`);
}
