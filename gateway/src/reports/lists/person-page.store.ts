/** The list of the people who can sign in. */
import type { Queryable } from '../../database/database.ts';
import { type Filters, ListOrder, type Page, type PageRequest } from '../../database/page.ts';
import { allOf, sql } from '../../database/sql.ts';
import type { ListedRow } from './listed-row.ts';
import { startsWith } from './name-search.store.ts';

export type PersonFilters = Filters<{
  operator: boolean;
  /** The beginning of the e-mail, in any case. */
  search: string;
}>;

const byEmail = new ListOrder('people by e-mail', ['text', 'text']);

export async function readPersonPage(
  db: Queryable,
  of: PersonFilters & PageRequest,
): Promise<Page<ListedRow<'operators.list'>>> {
  const conditions = [];
  const position = byEmail.position(of.after);
  if (position !== null)
    conditions.push(sql`(lower(p.email) collate "C", p.id) > (${position[0]}, ${position[1]})`);
  if (of.operator != null) conditions.push(sql`p.is_operator = ${of.operator}`);
  if (of.search) conditions.push(startsWith(sql`p.email`, of.search));
  const rows = await db.query<ListedRow<'operators.list'> & { id: string; sortEmail: string }>(sql`
    select p.id, p.email, lower(p.email) as "sortEmail", p.password_hash is not null as has_password,
      p.created_at
    from (
      select * from people p where ${allOf(conditions)}
      order by lower(p.email) collate "C", p.id limit ${of.limit + 1}) p
    order by lower(p.email) collate "C", p.id`);
  const page = byEmail.page(rows, of.limit, (row) => [row.sortEmail, row.id]);
  return { rows: page.rows.map(({ id: _, sortEmail: __, ...row }) => row), next: page.next };
}
