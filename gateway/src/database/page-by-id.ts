/** Pages of rows in the order of their ids, which is the order of their creation: an id begins with its time. */
import { type Sql, sql } from './sql.ts';

export interface PageById {
  /** The last id of the page before; null: from the start. */
  readonly after: string | null;
  readonly limit: number;
  /** The default is the newest first. */
  readonly order?: 'asc' | 'desc';
}

/** Sorts behind every id. */
const PAST_EVERY_ID = '~';

/**
 * The end of a statement: the condition on `id`, the order and the limit. It asks for one row more than the page has,
 * which tells whether another page follows. With an index that ends in `id`, a page costs the same at any depth.
 */
export function pageById({ after, limit, order = 'desc' }: PageById): Sql {
  return order === 'asc'
    ? sql`id > ${after ?? ''} order by id limit ${limit + 1}`
    : sql`id < ${after ?? PAST_EVERY_ID} order by id desc limit ${limit + 1}`;
}
