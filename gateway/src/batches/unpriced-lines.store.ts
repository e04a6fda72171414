/** The lines whose cost, or whose provider cost, was unknown when they ran. */
import type { ReceiptLine } from '../contract/receipt.ts';
import type { Queryable } from '../database/database.ts';
import { LONG_ANSWER_MS } from '../database/deadlines.ts';
import { json, sql, within } from '../database/sql.ts';
import type { Instant } from '../kernel/time.ts';
import { printUnits, type Units } from '../kernel/units.ts';
import type { ProviderCost } from '../pricing/provider-cost.ts';
import type { Usage } from '../pricing/usage.ts';

export interface UnpricedLine {
  readonly line: number;
  readonly usage: Usage | null;
  readonly provider: string | null;
  readonly upstreamModel: string | null;
  readonly startedAt: Instant;
  readonly isPriced: boolean;
  readonly isBilled: boolean;
}

/** Successful lines of unknown cost; with `unbilled` also those whose provider cost alone is unknown. */
export async function listUnpricedLines(
  db: Queryable,
  batchId: string,
  page: { after: number; linesMax: number; unbilled: boolean },
): Promise<UnpricedLine[]> {
  return await db.query(
    within(
      LONG_ANSWER_MS,
      sql`
    select l.line, l.usage, l.provider, l.upstream_model as "upstreamModel",
      coalesce(r.started_at, b.created_at) as "startedAt", l.cost is not null as "isPriced",
      l.provider_cost is not null as "isBilled"
    from batch_lines l join batches b on b.id = l.batch_id
    left join line_receipts r on r.batch_id = l.batch_id and r.line = l.line
    where l.batch_id = ${batchId} and l.ok and l.line > ${page.after}
      and (l.cost is null or (${page.unbilled} and l.provider_cost is null))
    order by l.line limit ${page.linesMax}`,
    ),
  );
}

export interface LinePrice {
  readonly line: number;
  /** Null: it keeps what it has. */
  readonly charge: { readonly total: Units; readonly lines: readonly ReceiptLine[] } | null;
  readonly providerCost: ProviderCost | null;
}

/** Also completes the receipts of the lines. */
export async function writeLinePrices(
  db: Queryable,
  batchId: string,
  { prices, priceVersion }: { prices: readonly LinePrice[]; priceVersion: string | null },
): Promise<void> {
  const columns = [
    prices.map(({ line }) => String(line)),
    prices.map(({ charge }) => (charge === null ? '' : printUnits(charge.total))),
    prices.map(({ charge }) => (charge === null ? '' : json(charge.lines))),
    prices.map(({ providerCost }) => (providerCost === null ? '' : printUnits(providerCost.amount))),
    prices.map(({ providerCost }) => providerCost?.currency ?? ''),
    prices.map(({ providerCost }) => providerCost?.version ?? ''),
  ] as const;
  const [lines, costs, charges, providerCosts, currencies, versions] = columns;
  await db.query(
    within(
      LONG_ANSWER_MS,
      sql`
    with priced as (
      select p.line::integer as line, nullif(p.cost, '')::numeric as cost, nullif(p.charge_lines, '')::json as charge_lines,
        nullif(p.provider_cost, '')::numeric as provider_cost, nullif(p.currency, '') as currency,
        nullif(p.version, '') as version
      from unnest(${lines}::text[], ${costs}::text[], ${charges}::text[], ${providerCosts}::text[],
        ${currencies}::text[], ${versions}::text[])
        as p (line, cost, charge_lines, provider_cost, currency, version)
    ), changed as (
      update batch_lines l set
        price_version = case when p.cost is null then l.price_version else ${priceVersion} end,
        cost = coalesce(p.cost, l.cost), provider_cost = coalesce(p.provider_cost, l.provider_cost),
        provider_currency = coalesce(p.currency, l.provider_currency),
        provider_price_version = coalesce(p.version, l.provider_price_version)
      from priced p where l.batch_id = ${batchId} and l.line = p.line
    )
    update line_receipts r set cost = p.cost, charge_lines = p.charge_lines, price_version = ${priceVersion},
      usage_details = nullif(r.usage_details - 'missing', '{}'::jsonb)
    from priced p where r.batch_id = ${batchId} and r.line = p.line and p.cost is not null`,
    ),
  );
}
