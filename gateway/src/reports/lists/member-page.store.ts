/** The list of the members of a space, with what each spent this month and when they were last active. */
import type { Role } from '../../access/members.store.ts';
import { type Rules, readRules, type StoredRules, storedRules } from '../../access/rules.store.ts';
import type { RuleName } from '../../contract/administration/rules/find-rules.ts';
import type { Queryable } from '../../database/database.ts';
import { type Filters, ListOrder, type Page, type PageRequest } from '../../database/page.ts';
import { allOf, type Sql, sql } from '../../database/sql.ts';
import { type Instant, monthOf } from '../../kernel/time.ts';
import { keyState, lastUse, spentBy } from './key-page.store.ts';
import type { ListedRow } from './listed-row.ts';
import { holds } from './name-search.store.ts';

export type MemberListRow = Omit<ListedRow<'members.list'>, RuleName<'member'> | 'resets_at'> & {
  readonly rules: Rules<'member'>;
};

export type MemberFilters = Filters<{
  role: Role;
  /** A part of the e-mail or the nickname, in any case. */
  search: string;
}>;

const byEmail = new ListOrder('members by e-mail', ['text', 'text']);

/** By e-mail. Removed members are left out. */
export async function readMemberPage(
  db: Queryable,
  of: MemberFilters & { spaceId: string; now: Instant } & PageRequest,
): Promise<Page<MemberListRow>> {
  const position = byEmail.position(of.after);
  const conditions = conditionsOf(of);
  if (position !== null)
    conditions.push(sql`(lower(m.email) collate "C", m.id) > (${position[0]}, ${position[1]})`);
  const rows = await db.query<Omit<MemberListRow, 'rules'> & { sortEmail: string; rules: StoredRules }>(sql`
    select m.id, m.email, lower(m.email) as "sortEmail", m.nickname, m.role, m.created_at,
      ${storedRules('member', 'm')} as rules, trim_scale(u.spent)::text as spent,
      u.active_keys, u.last_at as last_active_at,
      exists (select 1 from people p where p.id = m.person_id and not p.confirmed) as unconfirmed
    from (
      select * from members m where ${allOf(conditions)}
      order by lower(m.email) collate "C", m.id limit ${of.limit + 1}) m
    left join lateral (
      select coalesce(sum(spent.units), 0) as spent, max(used.at) as last_at,
        count(*) filter (where ${keyState(of.now)} = 'active') as active_keys
      from keys k join members o on o.id = k.member_id
      left join lateral (${spentBy(monthOf(of.now))}) spent on true
      left join lateral (${lastUse}) used on true
      where k.member_id = m.id) u on true
    order by lower(m.email) collate "C", m.id`);
  const page = byEmail.page(rows, of.limit, (row) => [row.sortEmail, row.id]);
  const shown = page.rows.map(({ sortEmail: _, ...row }) => ({
    ...row,
    rules: readRules('member', row.rules),
  }));
  return { rows: shown, next: page.next };
}

function conditionsOf({ spaceId, role, search }: MemberFilters & { spaceId: string }): Sql[] {
  const conditions = [sql`m.space_id = ${spaceId}`, sql`m.removed_at is null`];
  if (role) conditions.push(sql`m.role = ${role}`);
  if (search) conditions.push(sql`(${holds(sql`m.email`, search)} or ${holds(sql`m.nickname`, search)})`);
  return conditions;
}
