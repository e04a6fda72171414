/** The list of the people who can sign in. */
import type { Queryable } from '../../database/database.ts';
import { type Filters, ListOrder, type Page, type PageRequest } from '../../database/page.ts';
import { allOf, sql } from '../../database/sql.ts';
import type { Instant } from '../../kernel/time.ts';
import { startsWith } from './name-search.store.ts';

export interface PersonListRow {
  readonly id: string;
  readonly email: string;
  readonly nickname: string;
  readonly isOperator: boolean;
  readonly hasPassword: boolean;
  readonly createdAt: Instant;
  /** How many spaces they are a member of. */
  readonly spaces: number;
  /** Of their sessions that have not ended; null: none. */
  readonly lastSeenAt: Instant | null;
}

export type PersonFilters = Filters<{
  operator: boolean;
  /** The beginning of the e-mail, in any case. */
  search: string;
}>;

const byEmail = new ListOrder('people by e-mail', ['text', 'text']);

export async function readPersonPage(
  db: Queryable,
  of: PersonFilters & PageRequest,
): Promise<Page<PersonListRow>> {
  const conditions = [];
  const position = byEmail.position(of.after);
  if (position !== null)
    conditions.push(sql`(lower(p.email) collate "C", p.id) > (${position[0]}, ${position[1]})`);
  if (of.operator != null) conditions.push(sql`p.is_operator = ${of.operator}`);
  if (of.search) conditions.push(startsWith(sql`p.email`, of.search));
  const rows = await db.query<PersonListRow & { sortEmail: string }>(sql`
    select p.id, p.email, lower(p.email) as "sortEmail", p.nickname, p.is_operator as "isOperator",
      p.password_hash is not null as "hasPassword", p.created_at as "createdAt",
      (select count(*) from members m where lower(m.email) = lower(p.email) and m.removed_at is null) as spaces,
      (select max(s.last_seen_at) from sessions s where s.person_id = p.id) as "lastSeenAt"
    from (
      select * from people p where ${allOf(conditions)}
      order by lower(p.email) collate "C", p.id limit ${of.limit + 1}) p
    order by lower(p.email) collate "C", p.id`);
  const page = byEmail.page(rows, of.limit, (row) => [row.sortEmail, row.id]);
  return { rows: page.rows.map(({ sortEmail: _, ...row }) => row), next: page.next };
}
