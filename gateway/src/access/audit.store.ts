/** The audit log: who changed spaces, people, keys and units. Rows are only ever added. */
import { type Queryable, type Transaction, timestamp } from '../database/database.ts';
import { json, sql } from '../database/sql.ts';
import type { Instant } from '../kernel/time.ts';

export interface AuditLine {
  readonly at: Instant;
  readonly actor: string;
  /** The name of the operation: `keys.rotate`. */
  readonly action: string;
  readonly spaceId: string | null;
  readonly subject: string;
  readonly before: object | null;
  readonly after: object | null;
}

export interface AuditEntry extends Omit<AuditLine, 'spaceId'> {
  readonly id: number;
  readonly space: string | null;
}

/** Takes the transaction of the change, so that neither exists without the other. */
export async function insertAuditLine(tx: Transaction, line: AuditLine): Promise<void> {
  const { before, after } = line;
  await tx.query(sql`
    insert into audit_log (at, actor, action, space_id, subject, before, after)
    values (${timestamp(line.at)}, ${line.actor}, ${line.action}, ${line.spaceId}, ${line.subject},
      ${before === null ? null : json(before)}, ${after === null ? null : json(after)})`);
}

/** The first line of an actor with this action; null if there is none. */
export async function findAuditLine(
  db: Queryable,
  of: { spaceId: string; actor: string; action: string },
): Promise<Pick<AuditLine, 'at' | 'after'> | null> {
  const [line] = await db.query<Pick<AuditLine, 'at' | 'after'>>(sql`
    select at, after from audit_log
    where space_id = ${of.spaceId} and actor = ${of.actor} and action = ${of.action} order by at, id limit 1`);
  return line ?? null;
}

/** Newest first. */
export async function listAudit(
  db: Queryable,
  of: { spaceId: string | null; limit: number },
): Promise<AuditEntry[]> {
  return await db.query<AuditEntry>(sql`
    select a.id, a.at, a.actor, a.action, s.name as space, a.subject, a.before, a.after
    from audit_log a left join spaces s on s.id = a.space_id
    where ${of.spaceId}::text is null or a.space_id = ${of.spaceId}
    order by a.id desc limit ${of.limit}`);
}
