/** The list of the keys of a space, with what each spent this month and when it was last used. */
import type { ListedKey } from '../../access/keys.store.ts';
import { readRules, type StoredRules, storedRules } from '../../access/rules.store.ts';
import type { RuleName } from '../../contract/administration/rules/find-rules.ts';
import type { keyKindFilters, keyStates } from '../../contract/administration/words.ts';
import { type Queryable, timestamp } from '../../database/database.ts';
import { type Filters, ListOrder, type Page, type PageRequest } from '../../database/page.ts';
import { allOf, type Sql, sql } from '../../database/sql.ts';
import { type Instant, monthOf } from '../../kernel/time.ts';
import type { ListedRow } from './listed-row.ts';
import { startsWith } from './name-search.store.ts';

/** `disabled` includes the keys of removed members, which do not work either. */
export type KeyState = (typeof keyStates)[number];

export const keyOrders = ['name', 'created'] as const;
export type KeyOrder = (typeof keyOrders)[number];

export type KeyListRow = Omit<ListedRow<'keys.list'>, KeyRule | 'resets_at'> &
  Pick<ListedKey, 'rules' | 'endsAt' | 'formerUntil'>;
type KeyRule = RuleName<'key'> | 'ends_at' | 'former_until';

export type KeyFilters = Filters<{
  /** `gateway`: personal and shared. */
  kind: (typeof keyKindFilters)[number];
  /** Only the personal keys of this member. */
  memberId: string;
  /** The beginning of the name, in any case. */
  search: string;
  /** Without a state, revoked keys are left out unless `revoked` is true. */
  state: KeyState;
  revoked: boolean;
}>;

type Wanted = KeyFilters & { readonly spaceId: string; readonly now: Instant; readonly limit: number };

type SortedRow = Omit<KeyListRow, 'rules'> & { readonly sortName: string; readonly rules: StoredRules };

const byName = new ListOrder('keys by name', ['text', 'text']);
const byCreation = new ListOrder('keys by creation', ['text']);

/** By name, or the newest first. */
export async function readKeyPage(
  db: Queryable,
  of: KeyFilters & { spaceId: string; order: KeyOrder; now: Instant } & PageRequest,
): Promise<Page<KeyListRow>> {
  const { after, limit } = of;
  if (of.order === 'created') {
    const position = byCreation.position(after);
    const follows = position === null ? sql`true` : sql`k.id < ${position[0]}`;
    const rows = await readRows(db, { ...of, follows, order: sql`k.id desc` });
    return shown(byCreation.page(rows, limit, (row) => [row.id]));
  }
  const position = byName.position(after);
  const follows =
    position === null ? sql`true` : sql`(lower(k.name) collate "C", k.id) > (${position[0]}, ${position[1]})`;
  const order = sql`lower(k.name) collate "C", k.id`;
  const rows = await readRows(db, { ...of, follows, order });
  return shown(byName.page(rows, limit, (row) => [row.sortName, row.id]));
}

/** One key, also if it is revoked. */
export async function readKeyRow(
  db: Queryable,
  { id, ...of }: { spaceId: string; id: string; now: Instant },
): Promise<KeyListRow | null> {
  const wanted = { ...of, revoked: true, limit: 1, follows: sql`k.id = ${id}`, order: sql`k.id` };
  return shown({ rows: await readRows(db, wanted), next: null }).rows[0] ?? null;
}

function shown({ rows, next }: Page<SortedRow>): Page<KeyListRow> {
  return {
    rows: rows.map(({ sortName: _, ...row }) => ({ ...row, rules: readRules('key', row.rules) })),
    next,
  };
}

/** The sums are read for the keys of the page alone. */
async function readRows(db: Queryable, of: Wanted & { follows: Sql; order: Sql }): Promise<SortedRow[]> {
  const state = keyState(of.now);
  return await db.query<SortedRow>(sql`
    select k.id, k.name, lower(k.name) as "sortName", k.kind, k.hint, k.owner, c.email as created_by, k.state,
      k.created_at, ${storedRules('key', 'k')} as rules, k.ends_at as "endsAt", k.former_until as "formerUntil",
      trim_scale(spent.units)::text as spent, used.at as last_used_at
    from (
      select k.*, o.email as owner, ${state} as state
      from keys k left join members o on o.id = k.member_id
      where ${allOf([...conditionsOf(of, state), of.follows])} order by ${of.order} limit ${of.limit + 1}) k
    left join members c on c.id = k.created_by
    left join lateral (${spentBy(monthOf(of.now))}) spent on true
    left join lateral (${lastUse}) used on true
    order by ${of.order}`);
}

function conditionsOf({ spaceId, kind, memberId, search, state, revoked }: Wanted, stateNow: Sql): Sql[] {
  const conditions = [sql`k.space_id = ${spaceId}`];
  if (kind) conditions.push(kind === 'gateway' ? sql`k.kind <> 'management'` : sql`k.kind = ${kind}`);
  if (memberId) conditions.push(sql`k.member_id = ${memberId}`);
  if (search) conditions.push(startsWith(sql`k.name`, search));
  if (state) conditions.push(sql`${stateNow} = ${state}`);
  else if (!revoked) conditions.push(sql`k.revoked_at is null`);
  return conditions;
}

/** The state of the key `k` of the owner `o`. */
export function keyState(now: Instant): Sql {
  return sql`case when k.revoked_at is not null then 'revoked'
    when k.disabled_at is not null or o.removed_at is not null then 'disabled'
    when least(k.expires_at, o.expires_at) <= ${timestamp(now)} then 'expired' else 'active' end`;
}

/** What the key `k` spent in a month. */
export function spentBy(month: string): Sql {
  return sql`
    select coalesce(sum(t.cost), 0) as units from month_parts t
    where t.space_id = k.space_id and t.month = ${month} and t.key_id = k.id`;
}

/** When the key `k` was last used: in its newest month, because months are in the order of time. */
export const lastUse: Sql = sql`
  select max(t.last_at) as at from month_parts t
  where t.key_id = k.id and t.month = (
    select n.month from month_parts n where n.key_id = k.id order by n.month desc limit 1)`;
