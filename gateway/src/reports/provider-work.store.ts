/** Reads what a provider will bill, by its days (UTC) and models, down to the calls. */
import { type Queryable, timestamp } from '../database/database.ts';
import { LONG_ANSWER_MS } from '../database/deadlines.ts';
import { ListOrder, type Page, type PageRequest } from '../database/page.ts';
import { type Sql, sql, within } from '../database/sql.ts';
import { DAY_MS } from '../kernel/durations.ts';
import { firstIdAt } from '../kernel/ids.ts';
import type { Instant } from '../kernel/time.ts';
import type { ListedRow } from './lists/listed-row.ts';

/** Work of a provider that ended between two instants. */
export interface ProviderPeriod {
  readonly provider: string;
  readonly from: Instant;
  /** Not included. */
  readonly until: Instant;
}

export interface ProviderDayRow {
  /** YYYY-MM-DD (UTC). */
  readonly day: string;
  /** The model name at the provider. */
  readonly model: string;
  readonly currency: string | null;
  readonly requests: number;
  readonly unknown: number;
  readonly estimated: number;
  readonly cost: string;
}

/** A call may have started this long before it ended. */
const CALL_MS_MAX = DAY_MS;

/** Calls, batches and videos in one form. A batch has a row for each model, currency and price version. */
function workOf({ provider, from, until }: ProviderPeriod): Sql {
  const during = (at: Sql): Sql =>
    sql`${at} >= ${timestamp(from)}::timestamptz and ${at} < ${timestamp(until)}::timestamptz`;
  return sql`
    select c.id, 'call' as kind, c.upstream_model as model, c.started_at, c.charged_at as ended_at, 1 as requests,
      c.input_tokens, c.cached_input_tokens, c.cache_write_tokens, c.output_tokens, c.usage_source,
      c.provider_cost as cost, c.provider_currency as currency, c.provider_price_version as version,
      (c.provider_cost is null)::integer as unknown, c.usage_details -> 'tools' as tools
    from calls c
    where c.id >= ${firstIdAt('req', from - CALL_MS_MAX)} and c.id < ${firstIdAt('req', until)}
      and c.provider = ${provider} and c.outcome <> 'failed' and ${during(sql`c.charged_at`)}
    union all
    select b.id, 'batch', bill.upstream_model, b.created_at, b.settled_at, bill.lines, null, null, null, null,
      null, bill.cost::numeric, bill.currency, bill.version, bill.unknown, null
    from batches b, jsonb_to_recordset(b.provider_bills) as bill (
      provider text, upstream_model text, currency text, version text, lines integer, unknown integer, cost text)
    where bill.provider = ${provider} and ${during(sql`b.settled_at`)}
    union all
    select v.id, 'video', v.upstream_model, v.created_at, v.settled_at, 1, null, null, null, null,
      v.usage_source, v.provider_cost, v.provider_currency, v.provider_price_version,
      (v.provider_cost is null)::integer, null
    from video_jobs v where v.provider = ${provider} and ${during(sql`v.settled_at`)}`;
}

/**
 * In the order of days, models and currencies, which are never added up. Requests of unknown cost have no currency;
 * they belong to the row of the only currency there is.
 */
export async function readProviderDays(db: Queryable, of: ProviderPeriod): Promise<ProviderDayRow[]> {
  return await db.query<ProviderDayRow>(
    within(
      LONG_ANSWER_MS,
      sql`
    with sums as (
      select to_char(w.ended_at at time zone 'UTC', 'YYYY-MM-DD') as day, w.model, w.currency,
        sum(w.requests) as requests, sum(w.unknown) as unknown,
        count(*) filter (where w.usage_source = 'estimated') as estimated, coalesce(sum(w.cost), 0) as cost
      from (${workOf(of)}) as w group by 1, 2, 3
      union all
      select to_char(r.utc_day, 'YYYY-MM-DD'), r.upstream_model, nullif(r.currency, ''), sum(r.requests),
        coalesce(sum(r.requests) filter (where not r.billed), 0), sum(r.estimated), sum(r.provider_cost)
      from removed_calls r
      where r.provider = ${of.provider} and r.utc_day >= (${timestamp(of.from)}::timestamptz at time zone 'UTC')::date
        and r.utc_day < (${timestamp(of.until)}::timestamptz at time zone 'UTC')::date
      group by 1, 2, 3
    ), placed as (
      select s.*, count(s.currency) over same_day as currencies, max(s.currency) over same_day as last_currency
      from sums s window same_day as (partition by s.day, s.model)
    )
    select p.day, p.model, case when p.currencies = 1 then p.last_currency else p.currency end as currency,
      sum(p.requests)::bigint as requests, sum(p.unknown)::bigint as unknown,
      sum(p.estimated)::bigint as estimated, trim_scale(sum(p.cost))::text as cost
    from placed p group by 1, 2, 3 order by 1, 2, 3`,
    ),
  );
}

const newestFirst = new ListOrder('provider work', ['text', 'text', 'text']);

/** The work of one model, or what of it used a hosted tool; calls before videos and batches, the newest first. */
export async function readProviderWork(
  db: Queryable,
  of: ProviderPeriod & { model: string; tool: string | null } & PageRequest,
): Promise<Page<ListedRow<'reports.providerWork'>>> {
  const [id, version, currency] = newestFirst.position(of.after) ?? [null, '', ''];
  const rows = await db.query<ListedRow<'reports.providerWork'>>(
    within(
      LONG_ANSWER_MS,
      sql`
    select w.id, w.kind, w.started_at, w.ended_at, w.requests, w.input_tokens, w.cached_input_tokens,
      w.cache_write_tokens, w.output_tokens, w.tools, w.usage_source, trim_scale(w.cost)::text as cost, w.currency,
      w.version as price_version, w.unknown
    from (${workOf(of)}) as w
    where w.model = ${of.model} and (${of.tool}::text is null or w.tools ->> ${of.tool}::text is not null)
      and (${id}::text is null
      or (w.id collate "C", coalesce(w.version, '') collate "C", coalesce(w.currency, '') collate "C")
        < (${id}, ${version}, ${currency}))
    order by w.id collate "C" desc, coalesce(w.version, '') collate "C" desc,
      coalesce(w.currency, '') collate "C" desc limit ${of.limit + 1}`,
    ),
  );
  return newestFirst.page(rows, of.limit, (row) => [row.id, row.price_version ?? '', row.currency ?? '']);
}
