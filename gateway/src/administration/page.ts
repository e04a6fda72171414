/** How a page of a store becomes the answer of a list, and which page is asked for. */
import { LIST_LIMIT_DEFAULT } from '../contract/administration/words.ts';
import type { Page, PageRequest } from '../database/page.ts';
import { kstOf } from '../kernel/time.ts';
import type { TimeField } from '../reports/lists/listed-row.ts';

export function wantedPage({ limit, cursor }: { limit?: number; cursor?: string }): PageRequest {
  return { limit: limit ?? LIST_LIMIT_DEFAULT, after: cursor ?? null };
}

export function answeredPage<Row, Item>(
  { rows, next }: Page<Row>,
  shown: (row: Row) => Item,
): { data: Item[]; next_cursor: string | null } {
  return { data: rows.map(shown), next_cursor: next };
}

type KstRow<Row> = {
  [Field in keyof Row]: Field extends TimeField ? string | Extract<Row[Field], null> : Row[Field];
};

/** The row of a list as it is answered: with its times in KST. */
export function shownRow<Row extends object>(row: Row): KstRow<Row> {
  const fields = Object.entries(row).map(([name, value]) => [
    name,
    IS_TIME.test(name) && value !== null ? kstOf(value as number) : value,
  ]);
  return Object.fromEntries(fields) as KstRow<Row>;
}

const IS_TIME = /(?:^|_)(?:at|until)$/;
