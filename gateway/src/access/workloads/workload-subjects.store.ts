/**
 * Which subjects a space may have rules for: those that an operator gave it, and those of its rules. No two spaces have
 * subjects that overlap, because a subject decides who pays for a workload.
 */
import { type Queryable, type Transaction, timestamp } from '../../database/database.ts';
import { ListOrder, type Page, type PageRequest } from '../../database/page.ts';
import { allOf, sql } from '../../database/sql.ts';
import type { Instant } from '../../kernel/time.ts';

export interface GivenSubjectsRow {
  readonly id: string;
  readonly spaceId: string;
  readonly issuer: string;
  /** A subject, or a prefix that ends with `*`. */
  readonly subjects: string;
  readonly createdAt: Instant;
}

const fields = sql`g.id, g.space_id as "spaceId", g.issuer, g.subjects, g.created_at as "createdAt"`;

const byId = new ListOrder('workload subjects', ['text']);

export async function readSubjectPage(
  db: Queryable,
  of: { spaceId: string } & PageRequest,
): Promise<Page<GivenSubjectsRow>> {
  const conditions = [sql`g.space_id = ${of.spaceId}`];
  const position = byId.position(of.after);
  if (position !== null) conditions.push(sql`g.id > ${position[0]}`);
  const rows = await db.query<GivenSubjectsRow>(sql`
    select ${fields} from workload_subjects g where ${allOf(conditions)} order by g.id limit ${of.limit + 1}`);
  return byId.page(rows, of.limit, ({ id }) => [id]);
}

export async function findGiven(
  db: Queryable,
  of: { spaceId: string; id: string },
): Promise<GivenSubjectsRow | null> {
  const [found] = await db.query<GivenSubjectsRow>(sql`
    select ${fields} from workload_subjects g where g.space_id = ${of.spaceId} and g.id = ${of.id}`);
  return found ?? null;
}

/** What operators gave the space at this issuer: at most `limit`. */
export async function listGiven(
  db: Queryable,
  of: { spaceId: string; issuer: string; limit: number },
): Promise<string[]> {
  const rows = await db.query<{ subjects: string }>(sql`
    select subjects from workload_subjects where space_id = ${of.spaceId} and issuer = ${of.issuer}
    order by subjects limit ${of.limit}`);
  return rows.map(({ subjects }) => subjects);
}

/** Whether an operator gave the space everything that the subject covers. */
export async function isGiven(
  db: Queryable,
  of: { spaceId: string; issuer: string; subject: string },
): Promise<boolean> {
  const rows = await db.query(sql`
    select 1 as one from workload_subjects g where g.space_id = ${of.spaceId} and g.issuer = ${of.issuer}
      and (g.subjects = ${of.subject}
        or (g.subjects like '%*' and starts_with(${of.subject}, rtrim(g.subjects, '*')))) limit 1`);
  return rows.length > 0;
}

/** Subjects of another space that are the same, or of which one covers the other; null: there are none. */
export async function findSubjectOverlap(
  db: Queryable,
  of: { spaceId: string; issuer: string; subjects: string },
): Promise<{ subjects: string; space: string } | null> {
  const start = of.subjects.replace(/\*$/, '');
  const [found] = await db.query<{ subjects: string; space: string }>(sql`
    select h.subjects, s.name as space
    from (
      select space_id, issuer, subjects from workload_subjects
      union all
      select w.space_id, w.issuer, w.subject
      from workloads w join keys k on k.id = w.key_id and k.revoked_at is null
    ) h join spaces s on s.id = h.space_id
    where h.space_id <> ${of.spaceId} and h.issuer = ${of.issuer} and (h.subjects = ${of.subjects}
      or (h.subjects like '%*' and starts_with(${start}, rtrim(h.subjects, '*')))
      or (${start !== of.subjects} and starts_with(rtrim(h.subjects, '*'), ${start})))
    order by h.subjects limit 1`);
  return found ?? null;
}

export async function insertSubjects(tx: Transaction, given: GivenSubjectsRow): Promise<void> {
  await tx.query(sql`
    insert into workload_subjects (id, space_id, issuer, subjects, created_at)
    values (${given.id}, ${given.spaceId}, ${given.issuer}, ${given.subjects}, ${timestamp(given.createdAt)})`);
}

export async function deleteSubjects(tx: Transaction, id: string): Promise<void> {
  await tx.query(sql`delete from workload_subjects where id = ${id}`);
}
