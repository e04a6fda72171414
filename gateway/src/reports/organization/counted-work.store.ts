/**
 * Reads what calls and lines of batches counted, by time. Totals are not kept by key, tokens and hours, because that would
 * cost every call a write, so this adds up the calls of as many buckets as a page has. One statement, so that a page is of
 * one moment.
 */

import type { UsageCount } from '../../contract/organization/usage-reports.ts';
import { batchKinds, pathsOf } from '../../contract/paid-endpoints.ts';
import type { Queryable } from '../../database/database.ts';
import { LONG_ANSWER_MS } from '../../database/deadlines.ts';
import { type Sql, sql, within } from '../../database/sql.ts';
import { countColumn, tierOf, usageCountOf } from '../../metering/usage-counts.store.ts';
import type { CountedRow, CountedWork } from './asked-work.ts';
import {
  bucketOf,
  callParts,
  during,
  GROUPED,
  isAsked,
  partGroups,
  removedParts,
  united,
  type WorkPart,
  wantedParts,
} from './work-parts.store.ts';

type Row = Omit<CountedRow, 'counts'> & Record<string, unknown>;

/** In the order of buckets. At most one row more than `rowsMax`. */
export async function readCountedWork(db: Queryable, asked: CountedWork): Promise<CountedRow[]> {
  const { counts, groups, rowsMax } = asked;
  const sums = listed(
    counts.map((count) => sql`sum(p.${countColumn(count)})::bigint as ${countColumn(count)}`),
  );
  const wants = (group: (typeof groups)[number], field: Sql): Sql =>
    groups.includes(group) ? field : sql`null::text`;
  const rows = await db.query<Row>(
    within(
      LONG_ANSWER_MS,
      sql`
    select p.bucket, p.space_id as project_id, ${wants('user_id', sql`k.member_id`)} as user_id,
      ${wants('api_key_id', sql`p.key_id`)} as api_key_id, p.model, p.batch, p.tier as service_tier,
      sum(p.requests)::bigint as requests, sum(p.lost)::bigint as lost ${sums}
    from (${partsOf(asked)}) p left join keys k on k.id = p.key_id
    group by 1, 2, 3, 4, 5, 6, 7 having sum(p.requests) > 0 or sum(p.lost) > 0
    order by sum(p.lost) desc, 1, 2, 3, 4, 5, 6, 7 limit ${rowsMax + 1}`,
    ),
  );
  return rows.map((row) => ({
    ...row,
    counts: Object.fromEntries(counts.map((count) => [count, row[count] as number])),
  }));
}

function partsOf(asked: CountedWork): Sql {
  const { kinds, having } = asked;
  const calls = sql`u.endpoint = any (${kinds}::text[]) and ${used(having)}`;
  const parts = wantedParts([...callParts(asked, calls), ...linesOf(asked)], asked);
  const summed = parts.map((part) =>
    summedPart(part, asked, { requests: sql`count(*)`, count: (one) => usageCountOf[one] }),
  );
  return united(asked.filters.batch === true ? summed : [...summed, ...removedOf(asked)]);
}

/** Batches are charged when they are settled. Some kinds of calls do not run in batches. */
function linesOf(asked: CountedWork): WorkPart[] {
  const urls = batchKinds.filter((kind) => asked.kinds.includes(kind)).flatMap(pathsOf);
  if (urls.length === 0) return [];
  const part: WorkPart = {
    rows: sql`batches b join line_receipts u on u.batch_id = b.id`,
    at: sql`b.settled_at`,
    space: sql`b.space_id`,
    key: sql`b.key_id`,
    model: sql`b.model`,
    batch: true,
    tier: tierOf,
    month: sql`b.settled_month`,
    where: sql`b.endpoint = any (${urls}::text[]) and ${during(sql`b.settled_at`, asked)} and u.outcome <> 'failed'
      and ${used(asked.having)}`,
  };
  return [part];
}

function used(count: UsageCount | null): Sql {
  return count === null ? sql`true` : sql`${usageCountOf[count]} > 0`;
}

/** Calls that a version before `removed_usage` removed are only in `removed_calls`: what they counted is lost. */
function removedOf(asked: CountedWork): Sql[] {
  const { kinds, having, counts } = asked;
  const only = having === null ? sql`true` : sql`u.${countColumn(having)} > 0`;
  const { known, lost } = removedParts(sql`removed_usage`, asked, {
    tier: sql`u.tier`,
    where: sql`u.endpoint = any (${kinds}::text[]) and ${only}`,
  });
  const [calls, usage] = ['removed_calls', 'removed_usage'].map((table) => {
    const { all } = removedParts({ text: table, values: [] }, asked);
    return sql`(select coalesce(sum(u.requests), 0) from ${all.rows} where ${isAsked(all, asked)})`;
  }) as [Sql, Sql];
  const none = listed(counts.map(() => sql`0`));
  const nobody = sql`1, null::text, null::text, null::text, null::boolean, null::text, null::text, 0`;
  return [
    summedPart(known, asked, {
      requests: sql`sum(u.${having === 'web_searches' ? SEARCH_REQUESTS : sql`requests`})`,
      count: (one) => sql`u.${countColumn(one)}`,
    }),
    sql`select ${nobody}, sum(u.requests) ${none} from ${lost.rows} where ${isAsked(lost, asked)}`,
    sql`select ${nobody}, ${calls} - ${usage} ${none}`,
  ];
}

const SEARCH_REQUESTS = sql`search_requests`;

function summedPart(
  part: WorkPart,
  asked: CountedWork,
  of: { requests: Sql; count: (count: UsageCount) => Sql },
): Sql {
  const sums = listed(asked.counts.map((count) => sql`sum(${of.count(count)}) as ${countColumn(count)}`));
  return sql`
    select ${bucketOf(part.at, asked)} as bucket, ${partGroups(part, asked.groups, false)},
      ${of.requests} as requests, 0 as lost ${sums}
    from ${part.rows} where ${isAsked(part, asked)} ${GROUPED}`;
}

/** `, a, b`; nothing if there are none. */
function listed(columns: readonly Sql[]): Sql {
  return columns.reduce((all, column) => sql`${all}, ${column}`, sql``);
}
