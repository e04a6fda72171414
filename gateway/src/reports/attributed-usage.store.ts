/**
 * Reads the usage of a month by tags, end users and sessions, and by two dimensions at once. One statement, so that all of it
 * is from one snapshot: what is attributed in no way is the total without what is, and the rows add up to the total exactly.
 */
import type { UsageKind } from '../contract/administration/usage-dimensions.ts';
import type { Queryable } from '../database/database.ts';
import { LONG_ANSWER_MS } from '../database/deadlines.ts';
import { type Sql, sql, within } from '../database/sql.ts';
import type { Month } from '../kernel/time.ts';
import { parseUnits } from '../kernel/units.ts';
import { isTagDimension, OTHER_TAGS } from '../metering/attribution/attribution.ts';
import { valuesOf } from '../metering/attribution/attributions.store.ts';
import { daysOfMember, dayTotalsOf } from './usage-days.store.ts';
import { type Counted, monthTotalsOf, type UsageScope } from './usage-report.store.ts';

/** What every call has. */
export type PlainDimension = 'model' | 'key' | 'member' | 'day';

export interface AskedUsage {
  readonly scope: UsageScope;
  readonly month: Month;
  /** Tags, the end user, the session: one or two, or none with two plain ones. */
  readonly attributed: readonly string[];
  readonly plain: readonly PlainDimension[];
}

/** A value of a dimension. */
export interface NamedValue {
  readonly kind: UsageKind;
  /** Null unless it is a value. */
  readonly name: string | null;
}

export interface UsageCell extends Counted {
  /** In the order in which they were asked for. */
  readonly attributed: readonly NamedValue[];
  readonly plain: readonly string[];
  /** If one of the plain dimensions is the key. */
  readonly keyId: string | null;
}

/** Values with a lower cost are counted as other. */
export const USAGE_ROWS_MAX = 5_000;

interface Row {
  readonly kind1: UsageKind | null;
  readonly name1: string | null;
  readonly kind2: UsageKind | null;
  readonly name2: string | null;
  readonly plain1: string | null;
  readonly plain2: string | null;
  readonly keyId: string | null;
  readonly requests: number;
  readonly unpriced: number;
  readonly cost: string;
}

export async function readUsageCells(db: Queryable, asked: AskedUsage): Promise<UsageCell[]> {
  const cells = asked.attributed.length === 0 ? plainCells(asked) : attributedCells(asked);
  // A key is known by its id until here, because its name can be used again.
  const isKey = asked.plain.includes('key');
  const keyOf = asked.plain[0] === 'key' ? sql`u.plain1` : sql`u.plain2`;
  const name = (field: Sql, dimension: PlainDimension | undefined): Sql =>
    dimension === 'key' ? sql`k.name` : field;
  const rows = await db.query<Row>(
    within(
      LONG_ANSWER_MS,
      sql`
    select u.kind1, u.name1, u.kind2, u.name2, ${name(sql`u.plain1`, asked.plain[0])} as plain1,
      ${name(sql`u.plain2`, asked.plain[1])} as plain2, ${isKey ? keyOf : sql`null::text`} as "keyId",
      u.requests::bigint as requests, u.unpriced::bigint as unpriced, u.cost
    from (${cells}) u left join keys k on ${isKey ? sql`k.id = ${keyOf}` : sql`false`}`,
    ),
  );
  return rows.map(({ kind1, name1, kind2, name2, plain1, plain2, keyId, requests, unpriced, cost }) => ({
    attributed: [
      ...(kind1 === null ? [] : [{ kind: kind1, name: name1 }]),
      ...(kind2 === null ? [] : [{ kind: kind2, name: name2 }]),
    ],
    plain: [plain1, plain2].filter((text) => text !== null),
    keyId,
    requests,
    unpriced,
    cost: parseUnits(cost),
  }));
}

/** What calls of a month have a value of: tags, the end user, the session. */
export async function readDimensionsInUse(db: Queryable, scope: UsageScope, month: Month): Promise<string[]> {
  const rows = await db.query<{ dimension: string }>(
    within(
      LONG_ANSWER_MS,
      sql`
    select distinct dimension from (select distinct attribution from (${attributedOf(scope, month, [])}) t) p
    cross join lateral (${valuesOf(sql`${scope.spaceId}`, sql`p.attribution`)}) v
    cross join lateral jsonb_object_keys(v.dimensions) as dimension`,
    ),
  );
  const dimensions = rows.map(({ dimension }) => dimension);
  return dimensions.filter((dimension) => dimension !== OTHER_TAGS).toSorted();
}

function plainCells({ scope, month, plain }: AskedUsage): Sql {
  const [first, second] = plain as [PlainDimension, PlainDimension];
  return sql`
    select null::text as kind1, null::text as name1, null::text as kind2, null::text as name2,
      ${plainField(first)} as plain1, ${plainField(second)} as plain2, ${SUMS}
    from (${totalsOf(scope, month, plain)}) p ${joinedFor(plain)} group by 5, 6`;
}

/** Without parts of what is summed here, most rows would be the same values of many keys and models. */
function attributedCells({ scope, month, attributed, plain }: AskedUsage): Sql {
  const [first, second] = attributed as [string, string | undefined];
  const field = plain[0] === undefined ? sql`null::text` : plainField(plain[0]);
  const isPair = second !== undefined;
  const untagged = isPair ? sql`kind1 = 'untagged' and kind2 = 'untagged'` : sql`kind1 = 'untagged'`;
  const none = isPair ? sql`'untagged'` : sql`null::text`;
  return sql`
    with attributed as (
      select p.attribution, ${field} as plain1, ${SUMS}
      from (${attributedOf(scope, month, plain)}) p ${joinedFor(plain)} group by 1, 2
    ), valued as (
      select ${kindOf(first)} as kind1, v.dimensions ->> ${first} as name1,
        ${isPair ? kindOf(second) : sql`null::text`} as kind2,
        ${isPair ? sql`v.dimensions ->> ${second}` : sql`null::text`} as name2, p.plain1, ${SUMS}
      from attributed p cross join lateral (${valuesOf(sql`${scope.spaceId}`, sql`p.attribution`)}) v
      group by 1, 2, 3, 4, 5
    ), known as (
      select * from valued where not (${untagged})
    ), rest as (
      select plain1, sum(requests) as requests, sum(unpriced) as unpriced, sum(cost) as cost
      from (
        select ${field} as plain1, p.requests, p.unpriced, p.cost
        from (${totalsOf(scope, month, plain)}) p ${joinedFor(plain)}
        union all
        select plain1, -requests, -unpriced, -cost from known) t
      group by plain1
    ), cells as (
      select * from known
      union all
      select 'untagged', null, ${none}, null, plain1, requests, unpriced, cost from rest
      where requests <> 0 or unpriced <> 0 or cost <> 0
    ), ranked as (
      select *, row_number() over (order by (kind1 = 'value' or kind2 = 'value') is true, cost desc, name1, name2, plain1)
        > ${USAGE_ROWS_MAX} as is_late from cells
    )
    select case when is_late and kind1 = 'value' then 'other' else kind1 end as kind1,
      case when is_late then null else name1 end as name1,
      case when is_late and kind2 = 'value' then 'other' else kind2 end as kind2,
      case when is_late then null else name2 end as name2, plain1, null::text as plain2, ${SUMS}
    from ranked p group by 1, 2, 3, 4, 5`;
}

const SUMS = sql`sum(p.requests) as requests, sum(p.unpriced) as unpriced, sum(p.cost) as cost`;

/** Null is a value that is not kept. Of tags, those that are not there may be among those that are not kept. */
function kindOf(dimension: string): Sql {
  const absent = isTagDimension(dimension)
    ? sql`case when jsonb_exists(v.dimensions, ${OTHER_TAGS}) then 'other' else 'untagged' end`
    : sql`'untagged'`;
  return sql`case when not jsonb_exists(v.dimensions, ${dimension}) then ${absent}
    when v.dimensions ->> ${dimension} is null then 'other' else 'value' end`;
}

function plainField(dimension: PlainDimension): Sql {
  if (dimension === 'model') return sql`p.model`;
  if (dimension === 'key') return sql`p.key_id`;
  return dimension === 'day' ? sql`p.day::text` : sql`coalesce(m.email, '(shared keys)')`;
}

function joinedFor(plain: readonly PlainDimension[]): Sql {
  if (!plain.includes('member')) return sql``;
  return sql`left join keys o on o.id = p.key_id left join members m on m.id = o.member_id`;
}

/** Those of days are fewer than those of months, which are kept by key: thousands of rows less to read. */
function totalsOf(scope: UsageScope, month: Month, plain: readonly PlainDimension[]): Sql {
  const { spaceId, memberId } = scope;
  const isByKey = plain.includes('key') || plain.includes('member');
  if (!memberId && !isByKey) return sql`select * ${dayTotalsOf(spaceId, month)}`;
  if (!memberId || !plain.includes('day')) return sql`select * ${monthTotalsOf(scope, month)}`;
  return daysOfMember({ spaceId, memberId, month });
}

function attributedOf(
  { spaceId, memberId }: UsageScope,
  month: Month,
  plain: readonly PlainDimension[],
): Sql {
  const own = memberId
    ? sql`and key_id in (select id from keys where member_id = ${memberId} and space_id = ${spaceId})`
    : sql``;
  if (!plain.includes('day'))
    return sql`select * from attributed_months where space_id = ${spaceId} and month = ${month} ${own}`;
  return sql`select * from attributed_days
    where space_id = ${spaceId} and day >= to_date(${month}, 'YYYY-MM')
      and day < to_date(${month}, 'YYYY-MM') + interval '1 month' ${own}`;
}
