/** The rows of references. A look-up has the space in its condition; any key of the space may use them. */
import type { ReferenceKind, ReferenceTrack } from '../contract/references.ts';
import { type Queryable, type Transaction, timestamp } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import type { Instant } from '../kernel/time.ts';

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

export async function insertReference(tx: Transaction, reference: StoredReference): Promise<void> {
  const { id, spaceId, owner, track, kind, mimeType, bytes, sha256, createdAt, expiresAt } = reference;
  await tx.query(sql`
    insert into reference_files (id, space_id, owner, track, kind, mime_type, bytes, sha256, created_at, expires_at)
    values (${id}, ${spaceId}, ${owner}, ${track}, ${kind}, ${mimeType}, ${bytes}, ${sha256},
      ${timestamp(createdAt)}, ${timestamp(expiresAt)})`);
}

/** Null for one of another space too: whether it exists is nobody else's to know. */
export async function findReference(
  db: Queryable,
  id: string,
  at: { spaceId: string; now: Instant },
): Promise<StoredReference | null> {
  const [row] = await db.query<StoredReference>(sql`
    select id, space_id as "spaceId", owner, track, kind, mime_type as "mimeType", bytes, sha256,
      created_at as "createdAt", expires_at as "expiresAt"
    from reference_files
    where id = ${id} and space_id = ${at.spaceId} and expires_at > ${timestamp(at.now)}`);
  return row ?? null;
}
