/**
 * The movements of a month for a FOCUS export, by day: what each model and key was charged, and every other entry of the
 * journal. Totals are not kept by day and key, because that would cost every call a write, so this adds up the calls of
 * as many days as a page needs.
 */
import { type Queryable, timestamp } from '../../database/database.ts';
import { LONG_ANSWER_MS } from '../../database/deadlines.ts';
import { ListOrder, type Page, type PageRequest } from '../../database/page.ts';
import { type Sql, sql, within } from '../../database/sql.ts';
import { DAY_MS } from '../../kernel/durations.ts';
import { type Instant, type Month, monthStart, nextMonth } from '../../kernel/time.ts';
import { isByHand } from '../../ledger/journal.store.ts';
import type { MovementKind } from '../../ledger/postings.ts';
import { OTHER_TAGS, TAG } from '../../metering/attribution/attribution.ts';
import { idOfText, valuesOf } from '../../metering/attribution/attributions.store.ts';
import { chargedCalls } from '../../metering/charged-calls.store.ts';

export interface FocusMovement {
  /** YYYY-MM-DD (KST). */
  readonly day: string;
  /** The order within a day. */
  readonly place: string;
  readonly kind: MovementKind;
  /** Of charges and corrections. */
  readonly model: string | null;
  readonly keyId: string | null;
  readonly key: string | null;
  readonly member: string | null;
  /** The tags of a charge or of the corrected call. A null among them: a value that is not kept. Null: none, or the call is removed. */
  readonly tags: Readonly<Record<string, string | null>> | null;
  /** The corrected call, the grant or the invoice. */
  readonly ref: string | null;
  /** The month of the corrected call. */
  readonly callMonth: Month | null;
  readonly note: string;
  /** Of charges. */
  readonly requests: number | null;
  readonly unpriced: number | null;
  /** What was charged, corrected, given, expired or invoiced: a decimal string. */
  readonly units: string;
}

const byDay = new ListOrder('FOCUS rows', ['text', 'text']);

export async function readFocusPage(
  db: Queryable,
  of: { spaceId: string; month: Month } & PageRequest,
): Promise<Page<FocusMovement>> {
  const { month, limit } = of;
  const position = byDay.position(of.after);
  const end = monthStart(nextMonth(month));
  let start = position === null ? monthStart(month) : dayStart(position[0], month);
  const ofDay = await rowsOfDay(db, of);
  const rows: FocusMovement[] = [];
  let quiet = 1;
  while (rows.length <= limit && start < end) {
    const rowsMax = limit + 1 - rows.length;
    const until = Math.min(start + Math.max(Math.ceil(rowsMax / ofDay), quiet) * DAY_MS, end);
    const found = await readDays(db, of, { start, until, position, rowsMax });
    rows.push(...found);
    start = until;
    // Days without rows are passed in longer steps.
    quiet = found.length === 0 ? quiet * 2 : 1;
  }
  return byDay.page(rows, limit, ({ day, place }) => [day, place]);
}

/** The day of a cursor, unless it belongs to another month. */
function dayStart(day: string, month: Month): Instant {
  const start = Date.parse(`${day}T00:00:00+09:00`);
  return Number.isNaN(start) ? monthStart(month) : Math.max(start, monthStart(month));
}

/** How many rows a day of usage has at most: one for each key, model and attribution of the month. */
async function rowsOfDay(
  db: Queryable,
  { spaceId, month }: { spaceId: string; month: Month },
): Promise<number> {
  const [row] = await db.query<{ rows: number }>(
    sql`
    select (select count(distinct (key_id, model)) from month_parts where space_id = ${spaceId} and month = ${month})
      + (select count(distinct (key_id, model, attribution)) from attributed_months
        where space_id = ${spaceId} and month = ${month}) as rows`,
  );
  return Math.max(row?.rows ?? 0, 1);
}

/** Whole days. `until` is not included. */
interface Days {
  readonly start: Instant;
  readonly until: Instant;
}

async function readDays(
  db: Queryable,
  of: { spaceId: string; month: Month },
  { position, rowsMax, ...days }: Days & { position: readonly [string, string] | null; rowsMax: number },
): Promise<FocusMovement[]> {
  const follows =
    position === null ? sql`` : sql`where (m.day, m.place) > (${position[0]}, ${position[1]} collate "C")`;
  return await db.query<FocusMovement>(
    within(
      LONG_ANSWER_MS,
      sql`
    select m.day, m.place, m.kind, m.model, m.key_id as "keyId", coalesce(k.name, m.key_id) as key, e.email as member,
      m.tags, m.ref, m.call_month as "callMonth", m.note, m.requests, m.unpriced, trim_scale(m.units)::text as units
    from (${usageOf(of, days)} union all ${entriesOf(of, days)}) m
    left join keys k on k.id = m.key_id left join members e on e.id = k.member_id
    ${follows} order by m.day, m.place collate "C" limit ${rowsMax}`,
    ),
  );
}

function usageOf({ spaceId, month }: { spaceId: string; month: Month }, { start, until }: Days): Sql {
  const during = (at: Sql): Sql =>
    sql`${at} >= ${timestamp(start)}::timestamptz and ${at} < ${timestamp(until)}::timestamptz`;
  const [soon, late] = chargedCalls(sql`c`, { from: start, until });
  const calls = (ids: Sql): Sql => sql`
      select korean_day(c.charged_at) as day, c.model, c.key_id, c.attribution, 1 as requests, coalesce(c.cost, 0) as cost,
        case when c.cost is null and not exists (select from corrections x where x.call_id = c.id)
          then 1 else 0 end as unpriced
      from calls c
      where c.space_id = ${spaceId} and ${ids} and c.outcome <> 'failed' and ${during(sql`c.charged_at`)}`;
  return sql`
    select day::text as day, concat_ws(' ', '1', model, key_id, md5(tags::text)) as place, 'charge' as kind, model,
      key_id, tags, null::text as ref, null::text as call_month, '' as note, sum(requests)::bigint as requests,
      sum(unpriced)::bigint as unpriced, sum(cost) as units
    from (select day, model, key_id, attribution, sum(requests) as requests, sum(unpriced) as unpriced, sum(cost) as cost
      from (
      ${calls(soon)}
      union all
      ${calls(late)}
      union all
      select day, model, key_id, null, requests, cost, 0 from removed_calls
      where space_id = ${spaceId} and day >= korean_day(${timestamp(start)}) and day < korean_day(${timestamp(until)})
      union all
      select korean_day(b.settled_at), b.model, b.key_id, part.attribution, part.requests, part.cost, 0
      from batches b cross join lateral (
        select null as attribution, b.settled_requests as requests, b.settled_units as cost
        union all
        select case sign when 1 then ${idOfText(sql`attribution`)} end, sign * count(*), sign * sum(cost)
        from line_receipts cross join (values (1), (-1)) as s (sign)
        where batch_id = b.id and outcome <> 'failed' and attribution is not null group by attribution, sign) part
      where b.space_id = ${spaceId} and b.settled_month = ${month} and b.settled_requests > 0
        and ${during(sql`b.settled_at`)}
      union all
      select korean_day(settled_at), model, key_id, ${idOfText(sql`attribution`)}, 1, coalesce(cost, 0),
        case when cost is null then 1 else 0 end
      from video_jobs where space_id = ${spaceId} and settled_month = ${month} and ${during(sql`settled_at`)}) used
      group by day, model, key_id, attribution) parts
    left join lateral (${tagsOf(sql`${spaceId}`, sql`parts.attribution`)}) t on true
    group by day, model, key_id, tags having sum(requests) > 0`;
}

/** `select … as tags`: end users and sessions would give most calls a row of their own. */
function tagsOf(spaceId: Sql, attribution: Sql): Sql {
  return sql`
    select jsonb_object_agg(substr(pair.key, ${TAG.length + 1}), pair.value) as tags
    from (${valuesOf(spaceId, attribution)}) a cross join lateral jsonb_each(a.dimensions) pair
    where starts_with(pair.key, ${TAG}) and pair.key <> ${OTHER_TAGS}`;
}

function entriesOf({ spaceId }: { spaceId: string }, { start, until }: Days): Sql {
  return sql`
    select korean_day(j.at)::text, '2 ' || lpad(j.id::text, 19, '0'), j.kind, c.model, c.key_id,
      (${tagsOf(sql`c.space_id`, sql`c.attribution`)}), case when j.kind <> 'expiry' then j.ref end, c.month, j.note, null::bigint, null::bigint,
      case j.kind when 'correction' then j.spent when 'invoice' then j.overage else abs(j.promo + j.paid) end
    from journal j left join calls c on j.kind = 'correction' and c.id = j.ref
    where j.space_id = ${spaceId} and ${isByHand(sql`j`)} and j.at >= ${timestamp(start)}
      and j.at < ${timestamp(until)}`;
}
