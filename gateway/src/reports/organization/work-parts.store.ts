/**
 * The parts of the statements that add up calls, lines of batches and videos by time. Every part selects the same columns:
 * the bucket, what can be grouped by, and sums.
 */
import type { Grouping } from '../../contract/organization/usage-reports.ts';
import { timestamp } from '../../database/database.ts';
import { allOf, type Sql, sql } from '../../database/sql.ts';
import { isoOf } from '../../kernel/time.ts';
import { chargedCalls } from '../../metering/charged-calls.store.ts';
import { tierOf } from '../../metering/usage-counts.store.ts';
import type { AskedWork } from './asked-work.ts';

/** Rows of a table, and what of them each column is. */
export interface WorkPart {
  /** After `from`. */
  readonly rows: Sql;
  readonly at: Sql;
  readonly space: Sql;
  readonly key: Sql;
  readonly model: Sql;
  readonly batch: boolean;
  readonly tier: Sql;
  readonly month: Sql;
  /** Which rows, and when they ended. */
  readonly where: Sql;
}

/** The groups of a part, from which those of the answer follow. */
export function partGroups(part: WorkPart, groups: readonly Grouping[], byMonth: boolean): Sql {
  const column = (wanted: boolean, value: Sql, type: Sql): Sql => (wanted ? value : sql`null::${type}`);
  const has = (...any: Grouping[]): boolean => any.some((one) => groups.includes(one));
  const text = sql`text`;
  return sql`${column(has('project_id'), part.space, text)} as space_id,
    ${column(has('api_key_id', 'user_id'), part.key, text)} as key_id,
    ${column(has('model', 'line_item'), part.model, text)} as model,
    ${column(has('batch'), part.batch ? sql`true` : sql`false`, sql`boolean`)} as batch,
    ${column(has('service_tier'), part.tier, text)} as tier, ${column(byMonth, part.month, text)} as month`;
}

export const GROUPED = sql`group by 1, 2, 3, 4, 5, 6, 7`;

export function bucketOf(at: Sql, { starts }: AskedWork): Sql {
  return sql`width_bucket(${at}, ${starts.map(isoOf)}::timestamptz[])`;
}

/** The condition for the rows of a part that were asked for. */
export function isAsked(part: WorkPart, { filters }: AskedWork): Sql {
  const { spaceIds, memberIds, keyIds, models } = filters;
  const conditions = [part.where];
  if (spaceIds !== null) conditions.push(sql`${part.space} = any (${spaceIds}::text[])`);
  if (keyIds.length > 0) conditions.push(sql`${part.key} = any (${keyIds}::text[])`);
  if (memberIds.length > 0)
    conditions.push(sql`${part.key} in (select id from keys where member_id = any (${memberIds}::text[]))`);
  if (models.length > 0) conditions.push(sql`${part.model} = any (${models}::text[])`);
  return allOf(conditions);
}

/** The parts that are asked for: all, only batches, or all but batches. */
export function wantedParts(parts: readonly WorkPart[], { filters }: AskedWork): WorkPart[] {
  return parts.filter(({ batch }) => filters.batch === null || filters.batch === batch);
}

export function during(at: Sql, { starts, until }: AskedWork): Sql {
  const from = timestamp(starts[0] as number);
  return sql`${at} >= ${from}::timestamptz and ${at} < ${timestamp(until)}::timestamptz`;
}

/** Calls `u`, those that were charged long after their start apart. */
export function callParts(asked: AskedWork, where: Sql, joined: Sql = sql``): WorkPart[] {
  const { starts, until } = asked;
  const from = starts[0] as number;
  const part = (ids: Sql): WorkPart => ({
    rows: sql`calls u ${joined}`,
    at: sql`u.charged_at`,
    space: sql`u.space_id`,
    key: sql`u.key_id`,
    model: sql`u.model`,
    batch: false,
    tier: tierOf,
    month: sql`u.month`,
    where: sql`${ids} and u.outcome <> 'failed' and ${where} and ${during(sql`u.charged_at`, asked)}`,
  });
  return chargedCalls(sql`u`, { from, until }).map(part);
}

/** The day of KST and the day of UTC of removed calls are together from 00:00 to 15:00 of UTC, or from there to midnight. */
const PART_FROM = sql`(u.utc_day::timestamp at time zone 'UTC')
  + case when u.utc_day = u.day then interval '0' else interval '15 hours' end`;
const PART_UNTIL = sql`(u.utc_day::timestamp at time zone 'UTC')
  + case when u.utc_day = u.day then interval '15 hours' else interval '24 hours' end`;

/**
 * Sums of removed calls `u`: those of which all are in one bucket, those of which nobody knows in which they were, and both.
 */
export function removedParts(
  table: Sql,
  { starts, until, byDay }: AskedWork,
  more: { tier?: Sql; where?: Sql } = {},
): Record<'known' | 'lost' | 'all', WorkPart> {
  const [from, end] = [timestamp(starts[0] as number), timestamp(until)];
  const near = sql`u.day >= korean_day(${from}::timestamptz) and u.day <= korean_day(${end}::timestamptz)`;
  const known = byDay
    ? sql`${PART_FROM} >= ${from}::timestamptz and ${PART_UNTIL} <= ${end}::timestamptz`
    : sql`false`;
  const overlaps = sql`${PART_FROM} < ${end}::timestamptz and ${PART_UNTIL} > ${from}::timestamptz`;
  const part = (where: Sql): WorkPart => ({
    rows: sql`${table} u`,
    at: PART_FROM,
    space: sql`u.space_id`,
    key: sql`u.key_id`,
    model: sql`u.model`,
    batch: false,
    tier: more.tier ?? sql`null::text`,
    month: sql`to_char(u.day, 'YYYY-MM')`,
    where: sql`${near} and ${where} and ${more.where ?? sql`true`}`,
  });
  return { known: part(known), lost: part(sql`${overlaps} and not (${known})`), all: part(overlaps) };
}

export function united(parts: readonly Sql[]): Sql {
  return parts.reduce((all, part) => sql`${all} union all ${part}`);
}
