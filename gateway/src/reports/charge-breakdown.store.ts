/** Reads what a month was charged by model and by key, and the corrections that belong to another month. */
import { type Queryable, timestamp } from '../database/database.ts';
import { type Sql, sql } from '../database/sql.ts';
import { type Month, monthStart, nextMonth } from '../kernel/time.ts';
import { parseUnits, type Units } from '../kernel/units.ts';
import { isByHand } from '../ledger/journal.store.ts';

export interface ChargedPart {
  readonly requests: number;
  /** Requests with unknown cost; they are part of no sum. */
  readonly unpriced: number;
  /** What the requests were charged when they ended. */
  readonly charges: Units;
  /** Corrections made in the month, of calls of any month. */
  readonly corrections: Units;
}

export interface ChargedModel extends ChargedPart {
  readonly model: string;
}

export interface ChargedKey extends ChargedPart {
  readonly keyId: string;
  readonly key: string;
  /** The e-mail of the owner; null for shared keys. */
  readonly member: string | null;
}

export interface ElsewhereCorrections {
  readonly month: Month;
  readonly entries: number;
  readonly amount: Units;
}

interface PartRow {
  readonly model: string | null;
  readonly keyId: string;
  readonly key: string;
  readonly member: string | null;
  readonly requests: number;
  readonly unpriced: number;
  readonly charges: string;
  readonly corrections: string;
}

/** `j` are corrections since the start of the month and `c` their calls. A call is never corrected before its month. */
function correctionsSince(spaceId: string, month: Month): Sql {
  return sql`from journal j join calls c on c.id = j.ref
    where j.space_id = ${spaceId} and j.kind = 'correction' and ${isByHand(sql`j`)}
      and j.at >= ${timestamp(monthStart(month))}`;
}

/** The totals of a month contain every correction of its calls. Without these they are the charges. */
export async function readChargedParts(
  db: Queryable,
  { spaceId, month }: { spaceId: string; month: Month },
): Promise<{ models: ChargedModel[]; keys: ChargedKey[] }> {
  const end = timestamp(monthStart(nextMonth(month)));
  const rows = await db.query<PartRow>(sql`
    with corrected as (
      select c.key_id, c.model, coalesce(sum(j.spent) filter (where c.month = ${month}), 0) as own,
        coalesce(sum(j.spent) filter (where j.at < ${end}), 0) as made
      ${correctionsSince(spaceId, month)} group by c.key_id, c.model
    ), charged as (
      select key_id, model, coalesce(t.requests, 0) as requests, coalesce(t.unpriced, 0) as unpriced,
        coalesce(t.cost, 0) - coalesce(x.own, 0) as charges, coalesce(x.made, 0) as corrections
      from (select * from month_totals where space_id = ${spaceId} and month = ${month}) t
      full join corrected x using (key_id, model)
    ), summed as (
      select model, key_id, sum(requests)::bigint as requests, sum(unpriced)::bigint as unpriced,
        sum(charges) as charges, sum(corrections) as corrections
      from charged where requests > 0 or charges <> 0 or corrections <> 0
      group by grouping sets ((model), (key_id))
    )
    select s.model, s.key_id as "keyId", coalesce(k.name, s.key_id) as key, m.email as member, s.requests, s.unpriced,
      s.charges, s.corrections
    from summed s left join keys k on k.id = s.key_id left join members m on m.id = k.member_id`);
  const models: ChargedModel[] = [];
  const keys: ChargedKey[] = [];
  for (const { model, keyId, key, member, ...row } of rows) {
    const part = { ...row, charges: parseUnits(row.charges), corrections: parseUnits(row.corrections) };
    if (model === null) keys.push({ keyId, key, member, ...part });
    else models.push({ model, ...part });
  }
  return { models, keys };
}

/** `of`: made in this month, by the month of the calls. `in`: of calls of this month, by the month they were made in. */
export async function readCorrectedMonths(
  db: Queryable,
  { spaceId, month }: { spaceId: string; month: Month },
): Promise<Record<'of' | 'in', ElsewhereCorrections[]>> {
  const end = timestamp(monthStart(nextMonth(month)));
  const rows = await db.query<{ part: 'of' | 'in'; month: Month; entries: number; amount: string }>(sql`
    select part, month, count(*) as entries, sum(spent) as amount from (
      select case when j.at < ${end} then 'of' else 'in' end as part, j.spent,
        case when j.at < ${end} then c.month else to_char(korean_day(j.at), 'YYYY-MM') end as month
      ${correctionsSince(spaceId, month)} and (j.at < ${end}) = (c.month <> ${month})) elsewhere
    group by part, month order by part, month`);
  const months = (wanted: 'of' | 'in') =>
    rows
      .filter(({ part }) => part === wanted)
      .map((row) => ({ month: row.month, entries: row.entries, amount: parseUnits(row.amount) }));
  return { of: months('of'), in: months('in') };
}
