/** Reads the usage of a space or of one member in a month, from the totals that every charge updates. */
import type { Queryable } from '../database/database.ts';
import { LONG_ANSWER_MS } from '../database/deadlines.ts';
import { type Sql, sql, within } from '../database/sql.ts';
import type { Month } from '../kernel/time.ts';
import { parseUnits, type Units } from '../kernel/units.ts';

export interface Counted {
  readonly requests: number;
  /** Requests with unknown cost; they are not part of `cost`. */
  readonly unpriced: number;
  readonly cost: Units;
}

export interface KeyTotal extends Counted {
  readonly keyId: string;
  readonly keyName: string;
  /** The member who created the key; null when an operator did. */
  readonly creatorNickname: string | null;
  /** The e-mail of the owner; null for shared keys. */
  readonly member: string | null;
}

export interface ModelTotal extends Counted {
  readonly model: string;
}

/** The same usage by key and by model. */
export interface MonthTotals {
  readonly keys: readonly KeyTotal[];
  readonly models: readonly ModelTotal[];
}

type TotalRow = Omit<KeyTotal & ModelTotal, 'cost' | 'keyId'> & { keyId: string | null; cost: string };

/** Whose usage. */
export interface UsageScope {
  readonly spaceId: string;
  /** Only of the personal keys of this member. */
  readonly memberId?: string | null | undefined;
}

/** `from month_parts …`: the rows in scope. */
export function monthTotalsOf({ spaceId, memberId }: UsageScope, month: Month): Sql {
  const own = memberId
    ? sql`and key_id in (select id from keys where member_id = ${memberId} and space_id = ${spaceId})`
    : sql``;
  return sql`from month_parts where space_id = ${spaceId} and month = ${month} ${own}`;
}

/**
 * One statement, so that both sums are from the same snapshot. The database adds up: a space has thousands of
 * rows, one per key and model, and a report about a hundred.
 */
export async function readMonthTotals(db: Queryable, scope: UsageScope, month: Month): Promise<MonthTotals> {
  const rows = await db.query<TotalRow>(
    within(
      LONG_ANSWER_MS,
      sql`
    select t.key_id as "keyId", k.name as "keyName", c.nickname as "creatorNickname", m.email as member, t.model,
      t.requests, t.unpriced, t.cost
    from (
      select key_id, model, sum(requests)::bigint as requests, sum(unpriced)::bigint as unpriced, sum(cost) as cost
      ${monthTotalsOf(scope, month)}
      group by grouping sets ((key_id), (model))) t
    left join keys k on k.id = t.key_id left join members m on m.id = k.member_id
    left join members c on c.id = coalesce(k.created_by, k.member_id)`,
    ),
  );
  const keys: KeyTotal[] = [];
  const models: ModelTotal[] = [];
  for (const { keyId, keyName, creatorNickname, member, model, requests, unpriced, cost } of rows) {
    const counted = { requests, unpriced, cost: parseUnits(cost) };
    if (keyId === null) models.push({ model, ...counted });
    else keys.push({ keyId, keyName, creatorNickname, member, ...counted });
  }
  return { keys, models };
}
