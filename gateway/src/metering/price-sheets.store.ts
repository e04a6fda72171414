/** Price sheets as they were used: a version means the same prices for ever. */
import { type Queryable, timestamp } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import type { Instant } from '../kernel/time.ts';

export interface SheetRow {
  readonly version: string;
  readonly digest: string;
  readonly json: string;
}

/** Keeps the sheet under its version, and answers the digest that version stands for. */
export async function keepPriceSheet(db: Queryable, sheet: SheetRow, now: Instant): Promise<string> {
  await db.query(sql`
    insert into price_sheets (version, digest, sheet, created_at)
    values (${sheet.version}, ${sheet.digest}, ${sheet.json}, ${timestamp(now)}) on conflict do nothing`);
  const [row] = await db.query<{ digest: string }>(
    sql`select digest from price_sheets where version = ${sheet.version}`,
  );
  return row?.digest ?? '';
}
