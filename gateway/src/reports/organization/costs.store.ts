/**
 * Reads what was charged by day: for calls with their corrections, batches and videos. The days of a month add up to its
 * usage. One statement, so that a page is of one moment.
 */
import type { Queryable } from '../../database/database.ts';
import { LONG_ANSWER_MS } from '../../database/deadlines.ts';
import { type Sql, sql, within } from '../../database/sql.ts';
import type { AskedWork, CostRow } from './asked-work.ts';
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

interface Amounts {
  readonly requests: Sql;
  readonly unpriced: Sql;
  readonly cost: Sql;
}

/** In the order of buckets, a row for each month (KST) of a result. At most one row more than `rowsMax`. */
export async function readCosts(db: Queryable, asked: AskedWork): Promise<CostRow[]> {
  const { groups, rowsMax } = asked;
  const wants = (group: (typeof groups)[number], field: Sql): Sql =>
    groups.includes(group) ? field : sql`null::text`;
  return await db.query<CostRow>(
    within(
      LONG_ANSWER_MS,
      sql`
    select p.bucket, p.space_id as project_id, ${wants('user_id', sql`k.member_id`)} as user_id,
      ${wants('api_key_id', sql`p.key_id`)} as api_key_id, p.model, p.batch, p.month, null::text as service_tier,
      sum(p.requests)::bigint as requests, sum(p.unpriced)::bigint as unpriced,
      trim_scale(coalesce(sum(p.cost), 0))::text as cost, sum(p.lost)::bigint as lost
    from (${partsOf(asked)}) p left join keys k on k.id = p.key_id
    group by 1, 2, 3, 4, 5, 6, 7 having sum(p.requests) > 0 or sum(p.lost) > 0
    order by sum(p.lost) desc, 1, 2, 3, 4, 5, 6, 7 limit ${rowsMax + 1}`,
    ),
  );
}

function partsOf(asked: AskedWork): Sql {
  const corrected = sql`left join (
    select distinct on (call_id) call_id, cost_after from corrections order by call_id, id desc) x on x.call_id = u.id`;
  const cost = sql`coalesce(x.cost_after, u.cost)`;
  const ofCalls = {
    requests: sql`count(*)`,
    unpriced: sql`count(*) filter (where ${cost} is null)`,
    cost: sql`sum(${cost})`,
  };
  const removed = removedParts(sql`removed_calls`, asked);
  const ofRemoved = { requests: sql`sum(u.requests)`, unpriced: sql`0`, cost: sql`sum(u.cost)` };
  const parts: Array<[WorkPart, Amounts]> = [
    ...callParts(asked, sql`true`, corrected).map((part): [WorkPart, Amounts] => [part, ofCalls]),
    [removed.known, ofRemoved],
    [
      jobs(sql`batches u`, asked, { batch: true, where: sql`u.settled_requests > 0` }),
      { requests: sql`sum(u.settled_requests)`, unpriced: sql`0`, cost: sql`sum(u.settled_units)` },
    ],
    [
      jobs(sql`video_jobs u`, asked, { batch: false, where: sql`true` }),
      {
        requests: sql`count(*)`,
        unpriced: sql`count(*) filter (where u.cost is null)`,
        cost: sql`sum(u.cost)`,
      },
    ],
  ];
  const wanted = new Set(
    wantedParts(
      parts.map(([part]) => part),
      asked,
    ),
  );
  const summed = parts.filter(([part]) => wanted.has(part)).map(([part, of]) => summedPart(part, asked, of));
  if (!wanted.has(removed.known)) return united(summed);
  return united([
    ...summed,
    sql`select 1, null::text, null::text, null::text, null::boolean, null::text, null::text, 0, 0, 0, sum(u.requests)
      from removed_calls u where ${isAsked(removed.lost, asked)}`,
  ]);
}

/** Batches and videos are charged when they are settled. */
function jobs(rows: Sql, asked: AskedWork, { batch, where }: { batch: boolean; where: Sql }): WorkPart {
  return {
    rows,
    batch,
    at: sql`u.settled_at`,
    space: sql`u.space_id`,
    key: sql`u.key_id`,
    model: sql`u.model`,
    tier: sql`null::text`,
    month: sql`u.settled_month`,
    where: sql`${where} and ${during(sql`u.settled_at`, asked)}`,
  };
}

function summedPart(part: WorkPart, asked: AskedWork, { requests, unpriced, cost }: Amounts): Sql {
  return sql`
    select ${bucketOf(part.at, asked)} as bucket, ${partGroups(part, asked.groups, true)}, ${requests} as requests,
      ${unpriced} as unpriced, ${cost} as cost, 0 as lost
    from ${part.rows} where ${isAsked(part, asked)} ${GROUPED}`;
}
