/**
 * Verifies the books: what spaces hold and owe, what their calls cost and all totals must follow from the
 * journal, to the last decimal. Everything is read from one snapshot.
 */
import type { Database, Transaction } from '../database/database.ts';
import { LONGEST_ANSWER_MS } from '../database/deadlines.ts';
import { type Sql, sql } from '../database/sql.ts';
import { attributedRules } from './attributed-books.store.ts';
import { budgetRules } from './budget-books.store.ts';

/** Two figures that must be equal and are not. */
export interface Disagreement {
  /** The rule that is broken. */
  readonly rule: string;
  readonly space: string;
  /** The entry, grant, call, month or day. */
  readonly where: string;
  readonly expected: string;
  readonly found: string;
}

/** The books of a space according to the journal. Given = held + charged from held + expired. */
export interface SpaceBooks {
  readonly space: string;
  readonly entries: number;
  readonly given: string;
  readonly promo: string;
  readonly paid: string;
  readonly charged_from_held: string;
  readonly expired: string;
  readonly overage: string;
  readonly invoiced: string;
  /** Charged, and not paid from units yet. */
  readonly due: string;
  readonly spent: string;
}

export interface Verdict {
  readonly spaces: readonly SpaceBooks[];
  readonly disagreements: readonly Disagreement[];
}

/** Disagreements reported per rule. */
const SHOWN_MAX = 50;

export async function verifyBooks(db: Database): Promise<Verdict> {
  return await db.transaction(
    async (tx) => {
      await tx.query(sql`set transaction isolation level repeatable read, read only`);
      const disagreements: Disagreement[] = [];
      for (const [rule, statement] of Object.entries(rules))
        disagreements.push(...(await check(tx, rule, statement)));
      return { spaces: await readBooks(tx), disagreements };
    },
    { timeoutMs: LONGEST_ANSWER_MS },
  );
}

async function check(tx: Transaction, rule: string, statement: Sql): Promise<Disagreement[]> {
  const rows = await tx.query<Omit<Disagreement, 'rule'>>({
    ...statement,
    text: `select coalesce(s.name, b.space_id, '?') as space, b.place as "where",
        coalesce(trim_scale(b.expected)::text, 'nothing') as expected, coalesce(trim_scale(b.found)::text, 'nothing') as found
      from (${statement.text}) b left join spaces s on s.id = b.space_id
      where b.expected is distinct from b.found order by 1, 2 limit ${SHOWN_MAX}`,
  });
  return rows.map((row) => ({ rule, ...row }));
}

/** Each query returns space_id, place, expected and found; `check` reports the rows where the two figures differ. */
const rules: Readonly<Record<string, Sql>> = {
  'the accounts of an entry sum to zero': sql`
    select space_id, 'entry ' || id as place, 0::numeric as expected,
      issued + promo + paid + overage + due + spent + expired + invoiced as found from journal`,
  'the grants of an entry add up to the units it moved': sql`
    select space_id, 'entry ' || id as place, promo + paid as expected, sum_of(grant_parts) as found from journal`,
  'a grant was given once, in full': sql`
    select g.space_id, 'grant ' || g.id as place, g.amount as expected, p.given as found
    from grants g left join (
      select part.id, sum(part.amount) as given from journal j, unnest(j.grant_ids, j.grant_parts) as part (id, amount)
      where part.amount > 0 group by part.id) p on p.id = g.id`,
  'what is left of a grant is what the journal left of it': sql`
    select coalesce(g.space_id, p.space_id) as space_id, 'grant ' || coalesce(g.id, p.id) as place,
      p.held as expected, g.remaining as found
    from grants g full join (
      select part.id, min(j.space_id) as space_id, sum(part.amount) as held
      from journal j, unnest(j.grant_ids, j.grant_parts) as part (id, amount) group by part.id) p on p.id = g.id`,
  'promo and paid units are held by grants of their kind': sql`
    select g.space_id, g.kind || ' units' as place, sum(g.remaining) as found,
      (select sum(case g.kind when 'promo' then j.promo else j.paid end) from journal j
       where j.space_id = g.space_id) as expected
    from grants g group by g.space_id, g.kind`,
  'given = held + charged from held + expired': sql`
    select g.space_id, 'all grants' as place, sum(g.amount) as found,
      sum(g.remaining) + (select sum(j.expired) from journal j where j.space_id = g.space_id) + (
        select coalesce(-sum(part), 0) from journal j, unnest(j.grant_parts) part
        where j.space_id = g.space_id and part < 0 and j.kind <> 'expiry') as expected
    from grants g group by g.space_id`,
  'what a space owes is what the journal says it owes': sql`
    select a.space_id, 'overage' as place, a.overage_accrued as found,
      -coalesce((select sum(j.overage) from journal j where j.space_id = a.space_id), 0) as expected from accounts a`,
  'what calls owe is what the journal says they owe': sql`
    select coalesce(d.space_id, j.space_id) as space_id, 'due' as place, coalesce(d.amount, 0) as found,
      coalesce(j.amount, 0) as expected
    from (select space_id, sum(amount) as amount from (
        select space_id, amount from dues union all select space_id, -amount from settled_dues) u group by space_id) d
    full join (select space_id, -sum(due) as amount from journal group by space_id) j using (space_id)`,
  'a writer owes what its charges add up to': sql`
    select d.space_id, concat_ws(' ', d.month, 'writer', d.writer) as place, d.amount as found, coalesce((
      select sum(j.spent) from journal j where j.space_id = d.space_id and j.writer = d.writer and j.kind = 'charge'
        and j.at >= month_begins(d.month)
        and j.at < month_begins(to_char(to_date(d.month, 'YYYY-MM') + interval '1 month', 'YYYY-MM'))), 0) as expected
    from dues d`,
  'nothing is paid that is not owed': sql`
    select s.space_id, concat_ws(' ', s.month, 'writer', s.writer) as place, s.amount as found,
      least(s.amount, coalesce(d.amount, 0)) as expected
    from settled_dues s left join dues d using (space_id, month, writer)`,
  'an entry charges what its calls cost': sql`
    select coalesce(j.space_id, c.space_id) as space_id, 'entry ' || coalesce(j.id, c.entry_id) as place,
      c.cost as expected, j.spent as found
    from (select * from journal where kind = 'charge' and ref in ('calls', 'opening')) j
    full join (select entry_id, min(space_id) as space_id, sum(cost) as cost from (
        select entry_id, space_id, cost from calls where entry_id is not null
        union all
        select entry_id, null, cost from removed_entries) charged
      group by entry_id) c on c.entry_id = j.id`,
  'an entry charges what its batch cost': sql`
    select coalesce(j.space_id, b.space_id) as space_id, coalesce('entry ' || j.id, 'batch ' || b.id) as place,
      nullif(b.settled_units, 0) as expected, j.spent as found
    from (select * from journal where kind = 'charge' and ref like 'batch!_%' escape '!') j
    full join (select * from batches where settled_units is not null) b on b.entry_id = j.id and b.id = j.ref`,
  // Batches from before receipts of lines existed have none, or only some.
  'the receipts of a batch add up to what it cost': sql`
    select b.space_id, 'batch ' || b.id as place, b.settled_units as expected, r.cost as found
    from batches b join (
      select batch_id, count(*) filter (where outcome <> 'failed') as lines, coalesce(sum(cost), 0) as cost
      from line_receipts group by batch_id) r on r.batch_id = b.id
    where b.settled_units is not null and b.settled_requests = r.lines`,
  'an entry charges what its video cost': sql`
    select coalesce(j.space_id, v.space_id) as space_id, coalesce('entry ' || j.id, 'video ' || v.id) as place,
      nullif(v.cost, 0) as expected, j.spent as found
    from (select * from journal where kind = 'charge' and ref like 'job!_%' escape '!') j
    full join (select * from video_jobs where settled_at is not null) v on v.entry_id = j.id and v.id = j.ref`,
  'a call that costs something has an entry': sql`
    select space_id, 'call ' || id as place, cost as expected, null::numeric as found
    from calls where cost > 0 and entry_id is null`,
  'an entry corrects a call by the difference': sql`
    select j.space_id, coalesce('entry ' || j.id, 'correction of ' || c.call_id) as place, c.cost_after - coalesce(c.cost_before, 0) as expected, j.spent as found
    from (select * from journal where kind = 'correction') j full join corrections c on c.entry_id = j.id
    where j.id is not null or c.cost_after <> coalesce(c.cost_before, 0)`,
  'the total of a month is what its calls cost': sql`
    select coalesce(t.space_id, c.space_id) as space_id,
      concat_ws(' ', coalesce(t.month, c.month), coalesce(t.key_id, c.key_id), coalesce(t.model, c.model)) as place,
      c.cost as expected, t.cost as found
    from month_totals t full join (
      select space_id, month, key_id, model, sum(cost) as cost from (
        select space_id, month, key_id, model, coalesce(fixed.cost, calls.cost, 0) as cost
        from calls left join (select distinct on (call_id) call_id, cost_after as cost from corrections
          order by call_id, id desc) fixed on fixed.call_id = calls.id
        where outcome <> 'failed'
        union all
        select space_id, to_char(day, 'YYYY-MM'), key_id, model, cost from removed_calls
        union all
        select space_id, settled_month, key_id, model, settled_units from batches where settled_requests > 0
        union all
        select space_id, settled_month, key_id, model, coalesce(cost, 0) from video_jobs
        where settled_at is not null) charged
      group by space_id, month, key_id, model) c using (space_id, month, key_id, model)`,
  'the requests of a month are its calls': sql`
    select coalesce(t.space_id, c.space_id) as space_id,
      concat_ws(' ', coalesce(t.month, c.month), coalesce(t.key_id, c.key_id), coalesce(t.model, c.model)) as place,
      c.requests::numeric as expected, t.requests::numeric as found
    from month_totals t full join (select space_id, month, key_id, model, sum(requests) as requests from (
        select space_id, month, key_id, model, 1 as requests from calls where outcome <> 'failed'
        union all
        select space_id, to_char(day, 'YYYY-MM'), key_id, model, requests from removed_calls
        union all
        select space_id, settled_month, key_id, model, settled_requests from batches where settled_requests > 0
        union all
        select space_id, settled_month, key_id, model, 1 from video_jobs where settled_at is not null) counted
      group by space_id, month, key_id, model) c using (space_id, month, key_id, model)`,
  'what counts without a price is what unpriced calls count for': sql`
    select coalesce(t.space_id, c.space_id) as space_id,
      concat_ws(' ', coalesce(t.month, c.month), coalesce(t.key_id, c.key_id), coalesce(t.model, c.model)) as place,
      coalesce(c.units, 0) as expected, coalesce(t.provisional, 0) as found
    from month_totals t full join (select space_id, month, key_id, model, sum(units) as units from (
        select space_id, month, key_id, model, provisional as units from calls where provisional > 0
        union all
        select space_id, settled_month, key_id, model, provisional from video_jobs where provisional > 0) counted
      group by space_id, month, key_id, model) c using (space_id, month, key_id, model)`,
  'what is settled reserves nothing': sql`
    select r.space_id, r.ref as place, 0::numeric as expected, r.units as found from reserves r
    where not exists (select from batches b where b.id = r.ref and b.settlement_status <> 'settled')
      and not exists (select from video_jobs v where v.id = r.ref and v.settled_at is null)`,
  'the slices of a purse add up to what was given of it': sql`
    select null::text as space_id, coalesce(p.id, s.purse) as place, coalesce(s.granted, 0) as expected,
      coalesce(p.given, 0) as found
    from purses p full join (select purse, sum(granted) as granted from slices group by purse) s on s.purse = p.id`,
  'a slice is of a process': sql`
    select null::text as space_id, s.purse || ' ' || s.process_id as place, 0::numeric as expected, s.granted as found
    from slices s where s.granted > 0 and not exists (select from processes p where p.id = s.process_id)`,
  'a purse is of a space, a key, a member or a budget': sql`
    select null::text as space_id, p.id as place, 0::numeric as expected, 1::numeric as found from purses p
    where not case split_part(p.id, ':', 1)
      when 'space' then exists (select from spaces s where s.id = split_part(p.id, ':', 2))
      when 'key' then exists (select from keys k where k.id = split_part(p.id, ':', 2))
      when 'member' then exists (select from members m where m.id = split_part(p.id, ':', 2))
      when 'budget' then exists (select from budgets b where b.id = split_part(split_part(p.id, ':', 2), '.', 1))
      else false end`,
  'the days of a month add up to it': sql`
    select coalesce(d.space_id, t.space_id) as space_id, coalesce(d.month, t.month) as place,
      t.cost as expected, d.cost as found
    from (select space_id, to_char(day, 'YYYY-MM') as month, sum(cost) as cost from day_totals group by 1, 2) d
    full join (select space_id, month, sum(cost) as cost from month_totals group by 1, 2) t using (space_id, month)`,
  ...attributedRules,
  ...budgetRules,
};

/** The names of all rules, as a broken one is reported. */
export const bookRules: readonly string[] = Object.keys(rules);

async function readBooks(tx: Transaction): Promise<SpaceBooks[]> {
  return await tx.query<SpaceBooks>(sql`
    select s.name as space, count(j.id) as entries,
      trim_scale(coalesce(sum(moved.given), 0))::text as given,
      trim_scale(coalesce(sum(j.promo), 0))::text as promo, trim_scale(coalesce(sum(j.paid), 0))::text as paid,
      trim_scale(coalesce(sum(moved.charged), 0))::text as charged_from_held,
      trim_scale(coalesce(sum(j.expired), 0))::text as expired,
      trim_scale(-coalesce(sum(j.overage), 0))::text as overage,
      trim_scale(-coalesce(sum(j.invoiced), 0))::text as invoiced,
      trim_scale(-coalesce(sum(j.due), 0))::text as due,
      trim_scale(coalesce(sum(j.spent), 0))::text as spent
    from spaces s left join journal j on j.space_id = s.id
    left join lateral (
      select coalesce(sum(part) filter (where part > 0), 0) as given,
        coalesce(-sum(part) filter (where part < 0 and j.kind <> 'expiry'), 0) as charged
      from unnest(j.grant_parts) part) moved on true
    group by s.id, s.name order by s.id`);
}
