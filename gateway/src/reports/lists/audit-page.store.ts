/** The audit log of a space or of the whole installation, newest first. */
import { boundedScan, type ScannedRow, scannedPage } from '../../database/bounded-scan.ts';
import { type Queryable, timestamp } from '../../database/database.ts';
import { type Filters, ListOrder, type Page, type PageRequest } from '../../database/page.ts';
import { allOf, type Sql, sql } from '../../database/sql.ts';
import type { Instant } from '../../kernel/time.ts';
import type { ListedRow } from './listed-row.ts';

export type AuditListRow = ListedRow<'audit.list'>;

export type AuditFilters = Filters<{
  actor: string;
  /** The beginning of the action: `keys.` is everything done to keys. */
  action: string;
  subject: string;
  from: Instant;
  /** Not included. */
  until: Instant;
}>;

const newestFirst = new ListOrder('audit', ['whole', 'whole']);

/**
 * Actor, action and subject examine a limited number of rows per page (`SCANNED_ROWS_MAX`). Space null: everything,
 * including changes that belong to no space.
 */
export async function readAuditPage(
  db: Queryable,
  of: AuditFilters & { spaceId: string | null } & PageRequest,
): Promise<Page<AuditListRow>> {
  const { limit } = of;
  const range = of.spaceId === null ? [] : [sql`a.space_id = ${of.spaceId}`];
  const position = newestFirst.position(of.after);
  if (position !== null) range.push(sql`(a.at, a.id) < (${timestamp(position[0])}, ${position[1]})`);
  if (of.from != null) range.push(sql`a.at >= ${timestamp(of.from)}`);
  if (of.until != null) range.push(sql`a.at < ${timestamp(of.until)}`);
  const rows = sql`
    select a.id, a.actor, a.action, a.subject from audit_log a where ${allOf(range)} order by a.at desc, a.id desc`;
  const scanned = await db.query<AuditListRow & ScannedRow>(sql`
    select p.id, p.at, p.actor, p.action, s.name as space, p.subject, p.before, p.after,
      f.matches, f.nth
    from (${boundedScan({ rows, matching: matchingOf(of), limit })}) f join audit_log p on p.id = f.id
    left join spaces s on s.id = p.space_id
    order by p.at desc, p.id desc`);
  return scannedPage(newestFirst, scanned, { limit, positionOf: ({ at, id }) => [at, id] });
}

/** One line; space null: also of changes that belong to no space. */
export async function readAuditLine(
  db: Queryable,
  { id, spaceId }: { id: number; spaceId: string | null },
): Promise<AuditListRow | null> {
  const inSpace = spaceId === null ? [] : [sql`a.space_id = ${spaceId}`];
  const [line] = await db.query<AuditListRow>(sql`
    select a.id, a.at, a.actor, a.action, s.name as space, a.subject, a.before, a.after
    from audit_log a left join spaces s on s.id = a.space_id
    where ${allOf([sql`a.id = ${id}`, ...inSpace])}`);
  return line ?? null;
}

function matchingOf({ actor, action, subject }: AuditFilters): Sql {
  const conditions = [];
  if (actor) conditions.push(sql`lower(s.actor) = lower(${actor})`);
  if (action) conditions.push(sql`starts_with(s.action, ${action})`);
  if (subject) conditions.push(sql`s.subject = ${subject}`);
  return allOf(conditions);
}
