/**
 * The totals of attributed calls, beside those of all calls (`../totals.store.ts`): what was attributed in which way, by
 * month, key and model and by day and key. `charge_calls` adds calls, in rows of its writer.
 */
import { type Queryable, type Transaction, timestamp } from '../../database/database.ts';
import { json, type Sql, sql } from '../../database/sql.ts';
import { type Instant, type Month, monthOf } from '../../kernel/time.ts';
import { printUnits, type Units } from '../../kernel/units.ts';
import { type Attribution, type AttributionValues, ID_CHARACTERS } from './attribution.ts';

/** What a batch or a video counts for in one way. */
export interface AttributedPart {
  readonly attribution: Attribution;
  readonly requests: number;
  readonly unpriced: number;
  readonly cost: Units;
}

/** In the rows of no process. Requires the account of the space to be locked. Tables are written in the order of LOCKS.md. */
export async function addAttributed(
  tx: Transaction,
  to: { spaceId: string; keyId: string; model: string; at: Instant },
  parts: readonly AttributedPart[],
): Promise<void> {
  if (parts.length === 0) return;
  const { spaceId, keyId, model, at } = to;
  const rows = sql`json_to_recordset(${json(parts.map(storedPart))}::json)
    as p (id text, text text, requests bigint, unpriced bigint, cost numeric)`;
  await tx.query(sql`
    insert into attributed_months as t (space_id, month, attribution, key_id, model, requests, unpriced, cost)
    select ${spaceId}, ${monthOf(at)}, id, ${keyId}, ${model}, requests, unpriced, cost from ${rows} order by id
    on conflict (space_id, month, attribution, key_id, model, writer) do update
    set requests = t.requests + excluded.requests, unpriced = t.unpriced + excluded.unpriced,
      cost = t.cost + excluded.cost`);
  await tx.query(sql`
    insert into attributed_days as t (space_id, day, attribution, key_id, requests, unpriced, cost)
    select ${spaceId}, korean_day(${timestamp(at)}), id, ${keyId}, requests, unpriced, cost from ${rows} order by id
    on conflict (space_id, day, attribution, key_id, writer) do update
    set requests = t.requests + excluded.requests, unpriced = t.unpriced + excluded.unpriced,
      cost = t.cost + excluded.cost`);
  await tx.query(sql`
    insert into attributions (space_id, id, dimensions) select ${spaceId}, id, text::jsonb from ${rows} order by id
    on conflict (space_id, id, writer) do nothing`);
}

function storedPart({ attribution, requests, unpriced, cost }: AttributedPart) {
  return { id: attribution.id, text: attribution.text, requests, unpriced, cost: printUnits(cost) };
}

/** A call costs more or less than it was charged: `unpriced` and `cost` are added. Calls that are attributed to nothing change nothing. */
export async function correctAttributed(
  tx: Transaction,
  { spaceId, id }: { spaceId: string; id: string },
  { unpriced, cost }: { unpriced: number; cost: Units },
): Promise<void> {
  const amount = sql`${printUnits(cost)}::numeric`;
  const call = sql`calls where space_id = ${spaceId} and id = ${id} and attribution is not null`;
  await tx.query(sql`
    insert into attributed_months as t (space_id, month, attribution, key_id, model, requests, unpriced, cost)
    select space_id, month, attribution, key_id, model, 0, ${unpriced}::bigint, ${amount} from ${call}
    on conflict (space_id, month, attribution, key_id, model, writer) do update
    set unpriced = t.unpriced + excluded.unpriced, cost = t.cost + excluded.cost`);
  await tx.query(sql`
    insert into attributed_days as t (space_id, day, attribution, key_id, requests, unpriced, cost)
    select space_id, korean_day(charged_at), attribution, key_id, 0, ${unpriced}::bigint, ${amount} from ${call}
    on conflict (space_id, day, attribution, key_id, writer) do update
    set unpriced = t.unpriced + excluded.unpriced, cost = t.cost + excluded.cost`);
}

/** The attributions of a space that were used in a month, in the order of their ids. */
export async function readMonthSets(
  db: Queryable,
  of: { spaceId: string; month: Month; after: string; rowsMax: number },
): Promise<Array<{ id: string; values: AttributionValues }>> {
  return await db.query(sql`
    select s.id, (${valuesOf(sql`${of.spaceId}`, sql`s.id`)}) as values
    from (
      select distinct attribution as id from attributed_months
      where space_id = ${of.spaceId} and month = ${of.month} and attribution > ${of.after}
      order by attribution limit ${of.rowsMax}) s
    order by s.id`);
}

/** The id that follows from the values, as `attributionOf` computes it. */
export function idOfText(text: Sql): Sql {
  return sql`left(translate(encode(sha256(convert_to(${text}, 'UTF8')), 'base64'), '+/', '-_'), ${ID_CHARACTERS})`;
}

/** `select …`: the values of an attribution. Writers that used it have the same. */
export function valuesOf(spaceId: Sql, id: Sql): Sql {
  return sql`select a.dimensions from attributions a where a.space_id = ${spaceId} and a.id = ${id} limit 1`;
}
