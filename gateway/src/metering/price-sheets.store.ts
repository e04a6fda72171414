/** The price sheets that were used. The prices of a model under a version never change. */
import { type Queryable, timestamp } from '../database/database.ts';
import { json, sql } from '../database/sql.ts';
import { jsonDigest } from '../kernel/digest.ts';
import type { Instant } from '../kernel/time.ts';

export interface UsedSheet {
  readonly version: string;
  readonly models: Readonly<Record<string, unknown>>;
}

/** Stores the prices under their version. Returns the models that already have other prices under it. */
export async function keepPriceSheet(db: Queryable, sheet: UsedSheet, now: Instant): Promise<string[]> {
  await db.query(sql`
    insert into price_sheets (version, model, prices, created_at)
    select ${sheet.version}, key, value, ${timestamp(now)}::timestamptz
    from json_each(${json(sheet.models)}::json) order by key on conflict do nothing`);
  const kept = await db.query<{ model: string; prices: unknown }>(
    sql`select model, prices from price_sheets where version = ${sheet.version}`,
  );
  return changedModels(sheet, kept);
}

/** The same for what providers charge. */
export async function keepProviderSheet(db: Queryable, sheet: UsedSheet, now: Instant): Promise<string[]> {
  await db.query(sql`
    insert into provider_price_sheets (version, model, prices, created_at)
    select ${sheet.version}, key, value, ${timestamp(now)}::timestamptz
    from json_each(${json(sheet.models)}::json) order by key on conflict do nothing`);
  const kept = await db.query<{ model: string; prices: unknown }>(
    sql`select model, prices from provider_price_sheets where version = ${sheet.version}`,
  );
  return changedModels(sheet, kept);
}

function changedModels(sheet: UsedSheet, kept: ReadonlyArray<{ model: string; prices: unknown }>): string[] {
  return kept
    .filter(({ model, prices }) => {
      const wanted = sheet.models[model];
      return wanted !== undefined && jsonDigest(wanted) !== jsonDigest(prices);
    })
    .map(({ model }) => model);
}
