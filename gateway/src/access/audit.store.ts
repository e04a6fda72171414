/** The audit log: who changed spaces, people, keys and units. Rows are only added, and removed only by their age. */
import { type Database, type Queryable, type Transaction, timestamp } from '../database/database.ts';
import { LONG_ANSWER_MS } from '../database/deadlines.ts';
import { json, sql, within } from '../database/sql.ts';
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

/** Lines removed by one transaction. */
const REMOVED_MAX = 1_000;

export async function countAuditBefore(db: Queryable, before: Instant): Promise<number> {
  const [row] = await db.query<{ lines: number }>(
    within(LONG_ANSWER_MS, sql`select count(*) as lines from audit_log where at < ${timestamp(before)}`),
  );
  return row?.lines ?? 0;
}

/** Removes the lines from before, and adds one that says how many there were. Returns their number. */
export async function removeAudit(
  db: Database,
  { before, at }: { before: Instant; at: Instant },
): Promise<number> {
  return await db.transaction(
    async (tx) => {
      // The trigger of the table lets only this through.
      await tx.query(sql`select set_config('tollgate.removes', 'audit_log', true)`);
      const rows = await tx.query(sql`
        delete from audit_log where id in (
          select id from audit_log where at < ${timestamp(before)} order by at, id limit ${REMOVED_MAX}
          for update skip locked) returning id`);
      if (rows.length === 0) return 0;
      const after = { lines: rows.length, before: timestamp(before) };
      const line = { at, actor: 'retention', action: 'audit.remove', spaceId: null, subject: 'audit log' };
      await insertAuditLine(tx, { ...line, before: null, after });
      return rows.length;
    },
    { timeoutMs: LONG_ANSWER_MS },
  );
}
