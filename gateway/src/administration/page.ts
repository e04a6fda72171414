/** How a page of a store becomes the answer of a list, and which page is asked for. */
import { LIST_LIMIT_DEFAULT } from '../contract/administration/words.ts';
import type { Page, PageRequest } from '../database/page.ts';

export function wantedPage({ limit, cursor }: { limit?: number; cursor?: string }): PageRequest {
  return { limit: limit ?? LIST_LIMIT_DEFAULT, after: cursor ?? null };
}

export function answeredPage<Row, Item>(
  { rows, next }: Page<Row>,
  shown: (row: Row) => Item,
): { data: Item[]; next_cursor: string | null } {
  return { data: rows.map(shown), next_cursor: next };
}
