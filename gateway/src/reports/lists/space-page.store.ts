/** The list of spaces, with their balance, their spending of the month and how many members and keys they have. */
import { type Rules, readRules, type StoredRules, storedRules } from '../../access/rules.store.ts';
import type { RuleName } from '../../contract/administration/rules/find-rules.ts';
import type { Queryable } from '../../database/database.ts';
import { type Filters, ListOrder, type Page, type PageRequest } from '../../database/page.ts';
import { allOf, sql } from '../../database/sql.ts';
import { type Instant, monthOf } from '../../kernel/time.ts';
import { settledHolding, settleSpaces } from '../../ledger/settle.store.ts';
import { reservedUnits } from '../../metering/reserved.store.ts';
import { keyState } from './key-page.store.ts';
import type { ListedRow } from './listed-row.ts';
import { startsWith } from './name-search.store.ts';

export type SpaceListRow = Omit<ListedRow<'spaces.list'>, RuleName<'space'> | 'role'> & {
  readonly rules: Rules<'space'>;
};

export type SpaceFilters = Filters<{
  /** The spaces of a person. */
  ids: readonly string[];
  /** The beginning of the name. */
  search: string;
}>;

const byName = new ListOrder('spaces by name', ['text']);

/** By name. One statement for the whole page; the figures are read for its spaces alone. */
export async function readSpacePage(
  db: Queryable,
  of: SpaceFilters & { now: Instant } & PageRequest,
): Promise<Page<SpaceListRow>> {
  const { now, limit } = of;
  let rows = await readRows(db, of);
  const unsure = rows.filter(({ edge }) => edge);
  if (unsure.length > 0) {
    await settleSpaces(
      db,
      unsure.map(({ id }) => id),
      now,
    );
    rows = await readRows(db, of);
  }
  const shown = rows.map(({ edge: _, ...row }) => ({ ...row, rules: readRules('space', row.rules) }));
  return byName.page(shown, limit, (row) => [row.name]);
}

type StoredRow = Omit<SpaceListRow, 'rules'> & { readonly rules: StoredRules; readonly edge: boolean };

async function readRows(
  db: Queryable,
  of: SpaceFilters & { now: Instant } & PageRequest,
): Promise<StoredRow[]> {
  const { now, limit } = of;
  const position = byName.position(of.after);
  const conditions = [];
  if (of.ids) conditions.push(sql`s.id = any (${of.ids})`);
  if (of.search) conditions.push(startsWith(sql`s.name`, of.search));
  if (position !== null) conditions.push(sql`s.name collate "C" > ${position[0]}`);
  return await db.query<StoredRow>(sql`
    select s.id, s.name, ${storedRules('space', 's')} as rules,
      s.blocked_at is null and (held.promo + held.paid > reserved.units or s.overage_allowed) as can_spend,
      trim_scale(held.promo + held.paid)::text as held, trim_scale(held.overage)::text as overage, held.edge,
      trim_scale(reserved.units)::text as reserved,
      trim_scale(spent.units)::text as spent, members.count as members, active.count as active_keys,
      s.created_at, coalesce(u.responses, 0) as kept_responses, coalesce(u.bytes, 0) as kept_bytes
    from (select * from spaces s where ${allOf(conditions)} order by s.name collate "C" limit ${limit + 1}) s
    left join kept_usage u on u.space_id = s.id
    cross join lateral (${settledHolding(sql`s.id`, now)}) held
    left join lateral (
      select coalesce(sum(r.units), 0) as units from ${reservedUnits} r where r.space_id = s.id) reserved on true
    left join lateral (
      select coalesce(sum(t.cost), 0) as units from day_parts t
      where t.space_id = s.id and t.day >= to_date(${monthOf(now)}, 'YYYY-MM')
        and t.day < to_date(${monthOf(now)}, 'YYYY-MM') + interval '1 month') spent on true
    left join lateral (
      select count(*) as count from members m where m.space_id = s.id and m.removed_at is null) members on true
    left join lateral (
      select count(*) as count from keys k left join members o on o.id = k.member_id
      where k.space_id = s.id and k.revoked_at is null and ${keyState(now)} = 'active') active on true
    order by s.name collate "C"`);
}
