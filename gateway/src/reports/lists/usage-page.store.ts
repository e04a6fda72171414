/** The usage of a month by key, highest cost first, in pages: a space may have ten thousand keys. */
import type { Queryable } from '../../database/database.ts';
import { ListOrder, type Page, type PageRequest } from '../../database/page.ts';
import { sql } from '../../database/sql.ts';
import type { Month } from '../../kernel/time.ts';
import { monthTotalsOf, type UsageScope } from '../usage-report.store.ts';
import type { ListedRow } from './listed-row.ts';

const highestCost = new ListOrder('usage by key', ['units', 'text']);

/** The costs of the current month change between pages: a key may then move to another page. */
export async function readKeyUsagePage(
  db: Queryable,
  of: UsageScope & { month: Month } & PageRequest,
): Promise<Page<ListedRow<'usage.keys'>>> {
  const { month, limit } = of;
  const position = highestCost.position(of.after);
  const follows =
    position === null ? sql`` : sql`having (-sum(cost), key_id) > (-${position[0]}::numeric, ${position[1]})`;
  const rows = await db.query<ListedRow<'usage.keys'>>(sql`
    select k.name as key, u.key_id as id, k.kind, m.email as member, u.requests, u.unpriced,
      trim_scale(u.cost)::text as cost, u.last_at as last_used_at
    from (
      select key_id, sum(requests)::bigint as requests, sum(unpriced)::bigint as unpriced, sum(cost) as cost,
        max(last_at) as last_at
      ${monthTotalsOf(of, month)} group by key_id ${follows}
      order by sum(cost) desc, key_id limit ${limit + 1}) u
    join keys k on k.id = u.key_id left join members m on m.id = k.member_id
    order by u.cost desc, u.key_id`);
  return highestCost.page(rows, limit, ({ cost, id }) => [cost, id]);
}
