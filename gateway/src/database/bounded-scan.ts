/**
 * Reads a page of the rows that match a filter which no index covers. It examines a limited number of rows in the
 * order of an index, so that a rare value in a large table never makes a page slow. If the limit is reached, the page
 * is short or even empty and has a cursor all the same, after the last row that was examined.
 */
import type { ListOrder, Page, PositionOf } from './page.ts';
import { type Sql, sql } from './sql.ts';

/** Rows that one page examines at most. */
export const SCANNED_ROWS_MAX = 20_000;

/** What `boundedScan` adds to each row. */
export interface ScannedRow {
  readonly matches: boolean;
  /** Its number among the examined rows, from 1. */
  readonly nth: number;
}

/**
 * `rows` is a statement that ends with its `order by`, and `matching` a condition on its columns, as `s`. Rows are read
 * only until the page is full. The last row examined is part of the result even if it does not match.
 */
export function boundedScan({ rows, matching, limit, rowsMax = SCANNED_ROWS_MAX }: Scan): Sql {
  return sql`
    select * from (
      select s.*, coalesce(${matching}, false) as matches, row_number() over () as nth
      from (${rows} limit ${rowsMax}) s) examined
    where matches or nth = ${rowsMax} limit ${limit + 1}`;
}

export interface Scan {
  readonly rows: Sql;
  readonly matching: Sql;
  readonly limit: number;
  readonly rowsMax?: number;
}

/** The page of the rows of a `boundedScan`. */
export function scannedPage<Row extends ScannedRow, Kinds extends ConstructorParameters<typeof ListOrder>[1]>(
  order: ListOrder<Kinds>,
  scanned: readonly Row[],
  { limit, positionOf }: { limit: number; positionOf: (row: Row) => PositionOf<Kinds> },
): Page<Omit<Row, keyof ScannedRow>> {
  const matching = scanned.filter(({ matches }) => matches);
  const last = scanned.at(-1);
  const cut = last !== undefined && last.nth >= SCANNED_ROWS_MAX ? order.cursor(positionOf(last)) : null;
  const page =
    matching.length > limit ? order.page(matching, limit, positionOf) : { rows: matching, next: cut };
  return { rows: page.rows.map(({ matches: _, nth: __, ...row }) => row), next: page.next };
}
