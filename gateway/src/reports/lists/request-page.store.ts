/**
 * The list of the requests of a space, newest first: calls that reached a model, and rejected requests (a sample under
 * load, kept for 30 days). A request that was both, because its call failed, is listed as a call.
 *
 * Time, key, member and status have an index. The other filters examine a limited number of rows per page: 20,000 of
 * the calls and as many of the rejected requests, or 2,000 of each key of a member. So a page can be short or even
 * empty and still have a next one. The order is that of the ids, which is the order in which requests started; a call
 * is listed when it has ended.
 */
import type { requestStatuses } from '../../contract/administration/words.ts';
import { modelKinds } from '../../contract/paid-endpoints.ts';
import { boundedScan, SCANNED_ROWS_MAX } from '../../database/bounded-scan.ts';
import type { Queryable } from '../../database/database.ts';
import { type Filters, ListOrder, type Page, type PageRequest } from '../../database/page.ts';
import { allOf, type Sql, sql } from '../../database/sql.ts';
import { firstIdAt } from '../../kernel/ids.ts';
import type { Instant } from '../../kernel/time.ts';
import { printUnits, type Units } from '../../kernel/units.ts';
import { valuesOf } from '../../metering/attribution/attributions.store.ts';
import type { ListedRow } from './listed-row.ts';

export type RequestStatus = (typeof requestStatuses)[number];

export type RequestListRow = ListedRow<'requests.list'>;

export type RequestFilters = Filters<{
  status: RequestStatus;
  model: string;
  keyId: string;
  /** Requests with a personal key of this member. */
  memberId: string;
  endpoint: string;
  from: Instant;
  /** Not included. */
  until: Instant;
  /** The exact id. */
  id: string;
  /** After corrections. */
  minCost: Units;
}>;

type Wanted = RequestFilters & { readonly spaceId: string };

const newestFirst = new ListOrder('requests', ['text']);
/** For each key of a member, of which there are usually a few. */
const KEY_ROWS_MAX = SCANNED_ROWS_MAX / 10;

type Found = Omit<RequestListRow, 'id'> & { readonly id: string | null; readonly examinedTo: string | null };

export async function readRequestPage(
  db: Queryable,
  of: RequestFilters & { spaceId: string } & PageRequest,
): Promise<Page<RequestListRow>> {
  const { limit } = of;
  const found = await db.query<Found>(pageStatement(of, newestFirst.position(of.after)?.[0] ?? null));
  const rows = found.filter(isRequest).map(({ examinedTo: _, ...row }) => ({
    ...row,
    endpoint: shownRequestEndpoint(row.endpoint),
  }));
  if (rows.length > limit) return newestFirst.page(rows, limit, ({ id }) => [id]);
  const examinedTo = found[0]?.examinedTo ?? null;
  return { rows, next: examinedTo === null ? null : newestFirst.cursor([examinedTo]) };
}

function isRequest(row: Found): row is Found & { readonly id: string } {
  return row.id !== null;
}

/**
 * Each source is read in its own order; with a member, each of their keys is a source. `ends` is how far down those
 * sources were read that have more, and below the highest end some rows may be missing, so the page ends there.
 */
function pageStatement(of: Wanted & { limit: number }, after: string | null): Sql {
  const sources = sourcesOf(of, after);
  const found = sources.length === 2 ? sql`${sources[0] as Sql} union all ${sources[1] as Sql}` : sources[0];
  return sql`
    with found as materialized (${found ?? nothing}), ends as (
      select id from found where nth = ${rowsMaxOf(of)}
      union all
      select min(id) from found where matches group by source, key having count(*) > ${of.limit}
    ), page as (
      select id from found where matches and id >= coalesce((select max(id) from ends), '')
      order by id desc limit ${of.limit + 1}
    )
    select (select max(id) from ends) as "examinedTo", p.id, coalesce(c.started_at, r.at) as started_at,
      coalesce(c.outcome, 'rejected') as status, coalesce(c.problem, r.code) as problem,
      coalesce(c.endpoint, r.endpoint) as endpoint, c.model, k.name as key, m.email as member, c.streamed,
      c.first_byte_ms, c.duration_ms, c.input_tokens, c.output_tokens,
      trim_scale(coalesce(x.cost_after, c.cost))::text as cost, x.cost_after is not null as corrected, c.attempts,
      (${valuesOf(sql`c.space_id`, sql`c.attribution`)}) as attribution
    from (select 1) one left join page p on true
    left join calls c on c.id = p.id
    left join refusals r on r.id = p.id and c.id is null
    left join keys k on k.id = coalesce(c.key_id, r.key_id)
    left join members m on m.id = k.member_id
    left join lateral (
      select cost_after from corrections where call_id = c.id order by id desc limit 1) x on true
    order by p.id desc`;
}

const nothing = sql`select null::text as id, '' as source, '' as key, false as matches, 0 as nth where false`;

function sourcesOf(of: Wanted & { limit: number }, after: string | null): Sql[] {
  const { status, model, minCost, limit } = of;
  const rowsMax = rowsMaxOf(of);
  const rejected = status === 'rejected' || !status;
  const called = status !== 'rejected';
  const sources: Sql[] = [];
  if (called) {
    const scan = { rows: callRows(of, after), matching: callFilter(of), limit, rowsMax };
    sources.push(fromEachKey(sql`'call'`, boundedScan(scan), of));
  }
  // A rejected request has no model and no cost.
  if (rejected && !model && !minCost) {
    const scan = { rows: refusalRows(of, after), matching: refusalFilter(of), limit, rowsMax };
    sources.push(fromEachKey(sql`'refusal'`, boundedScan(scan), of));
  }
  return sources;
}

function perKey({ keyId, memberId }: Wanted): boolean {
  return Boolean(memberId) && !keyId;
}

function rowsMaxOf(of: Wanted): number {
  return perKey(of) ? KEY_ROWS_MAX : SCANNED_ROWS_MAX;
}

/** With a member, the scan of each of their keys; otherwise one scan. */
function fromEachKey(source: Sql, scan: Sql, of: Wanted): Sql {
  if (!perKey(of)) return sql`select b.id, ${source} as source, '' as key, b.matches, b.nth from (${scan}) b`;
  return sql`
    select b.id, ${source} as source, own.id as key, b.matches, b.nth
    from (select id from keys where member_id = ${of.memberId ?? null} and space_id = ${of.spaceId}) own
    cross join lateral (${scan}) b`;
}

function callRows(of: Wanted, after: string | null): Sql {
  const conditions = [];
  if (of.keyId) conditions.push(sql`c.key_id = ${ownKey(of)}`);
  else if (of.memberId) conditions.push(sql`c.key_id = own.id`);
  else if (of.status === 'partial' || of.status === 'failed')
    conditions.push(sql`c.space_id = ${of.spaceId}`, sql`c.outcome <> 'completed'`);
  else conditions.push(sql`c.space_id = ${of.spaceId}`);
  conditions.push(...idRange(sql`c.id`, of, after));
  const examined = hasCallFilter(of) ? sql`c.id, c.outcome, c.model, c.endpoint, c.cost` : sql`c.id`;
  return sql`select ${examined} from calls c where ${allOf(conditions)} order by c.id desc`;
}

function refusalRows(of: Wanted, after: string | null): Sql {
  const conditions = [];
  if (of.keyId) conditions.push(sql`r.key_id = ${ownKey(of)}`);
  else if (of.memberId) conditions.push(sql`r.key_id = own.id`);
  else conditions.push(sql`r.space_id = ${of.spaceId}`);
  conditions.push(...idRange(sql`r.id`, of, after));
  return sql`select r.id, r.endpoint from refusals r where ${allOf(conditions)} order by r.id desc`;
}

/** Null for a key of another space or another member. */
function ownKey({ keyId, spaceId, memberId }: Wanted): Sql {
  const conditions = [sql`id = ${keyId ?? null}`, sql`space_id = ${spaceId}`];
  if (memberId) conditions.push(sql`member_id = ${memberId}`);
  return sql`(select id from keys where ${allOf(conditions)})`;
}

function idRange(id: Sql, { from, until, id: exact }: Wanted, after: string | null): Sql[] {
  const range = [];
  if (exact) range.push(sql`${id} = ${exact}`);
  if (after !== null) range.push(sql`${id} < ${after}`);
  if (from != null) range.push(sql`${id} >= ${firstIdAt('req', from)}`);
  if (until != null) range.push(sql`${id} < ${firstIdAt('req', until)}`);
  return range;
}

function hasCallFilter({ status, model, endpoint, minCost }: Wanted): boolean {
  return Boolean(status || model || endpoint || minCost);
}

function callFilter({ status, model, endpoint, minCost }: Wanted): Sql {
  const conditions = [];
  if (status) conditions.push(sql`s.outcome = ${status}`);
  if (model) conditions.push(sql`s.model = ${model}`);
  if (endpoint) conditions.push(sql`s.endpoint = ${endpoint}`);
  if (minCost) conditions.push(sql`${correctedCost} >= ${printUnits(minCost)}::numeric`);
  return allOf(conditions);
}

/** Few calls are corrected; the others are found in no list and cost no search. */
const correctedCost = sql`case when s.id in (select call_id from corrections)
  then (select x.cost_after from corrections x where x.call_id = s.id order by x.id desc limit 1) else s.cost end`;

function refusalFilter({ endpoint }: Wanted): Sql {
  // The cheaper condition comes first: the database checks them in this order.
  const conditions = endpoint ? [sql`s.endpoint = any (${routesOf(endpoint)})`] : [];
  return allOf([...conditions, sql`not exists (select 1 from calls c where c.id = s.id)`]);
}

/** The names of endpoints in the list of requests. A recorded call and a rejected request name theirs differently. */
const kindOfRoute: ReadonlyMap<string, string> = new Map(
  Object.entries(modelKinds).flatMap(([kind, { endpoints }]) =>
    Object.keys(endpoints).map((name) => [name, kind]),
  ),
);

/** The names under which rejected requests of an endpoint are stored. */
function routesOf(endpoint: string): readonly string[] {
  return [endpoint, ...[...kindOfRoute].flatMap(([name, kind]) => (kind === endpoint ? [name] : []))];
}

/** The name that is shown: that of calls where there is one. */
function shownRequestEndpoint(stored: string): string {
  return kindOfRoute.get(stored) ?? stored;
}
