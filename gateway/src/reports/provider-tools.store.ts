/** Reads how often hosted tools were called at a provider, and the price sheets that say what they cost. */
import { type Queryable, timestamp } from '../database/database.ts';
import { LONG_ANSWER_MS } from '../database/deadlines.ts';
import { sql, within } from '../database/sql.ts';
import { DAY_MS } from '../kernel/durations.ts';
import { firstIdAt } from '../kernel/ids.ts';
import { type Instant, isoOf } from '../kernel/time.ts';
import type { ProviderPeriod } from './provider-work.store.ts';

/** A call may have started this long before it ended. */
export const CALL_MS_MAX = DAY_MS;

export interface ToolCallsRow {
  /** YYYY-MM-DD (UTC). */
  readonly day: string;
  /** The model name at the provider. */
  readonly model: string;
  readonly currency: string;
  /** Of the provider's price sheet. */
  readonly version: string;
  readonly tier: string | null;
  readonly geo: string | null;
  /** How many of the moments had passed when the calls started, and how many of the lengths their prompts reached. */
  readonly moment: number;
  readonly length: number;
  readonly tool: string;
  readonly requests: number;
  readonly calls: number;
}

/** By everything that a price may depend on. Only of requests with a known cost, of which it is a part. */
export async function readToolCalls(
  db: Queryable,
  { provider, from, until }: ProviderPeriod,
  { moments, lengths }: { moments: readonly Instant[]; lengths: readonly number[] },
): Promise<ToolCallsRow[]> {
  return await db.query<ToolCallsRow>(
    within(
      LONG_ANSWER_MS,
      sql`
    select to_char(c.charged_at at time zone 'UTC', 'YYYY-MM-DD') as day, c.upstream_model as model,
      c.provider_currency as currency, c.provider_price_version as version, c.usage_details ->> 'tier' as tier,
      c.usage_details ->> 'geo' as geo, width_bucket(c.started_at, ${moments.map(isoOf)}::timestamptz[]) as moment,
      width_bucket(coalesce((c.usage_details ->> 'context_tokens')::bigint, c.input_tokens, 0),
        ${lengths.map(String)}::bigint[]) as length,
      t.key as tool, count(*) as requests, sum(t.value::bigint)::bigint as calls
    from calls c, jsonb_each_text(c.usage_details -> 'tools') t
    where c.id >= ${firstIdAt('req', from - CALL_MS_MAX)} and c.id < ${firstIdAt('req', until)}
      and c.provider = ${provider} and c.provider_cost is not null and c.outcome <> 'failed'
      and c.charged_at >= ${timestamp(from)}::timestamptz and c.charged_at < ${timestamp(until)}::timestamptz
    group by 1, 2, 3, 4, 5, 6, 7, 8, 9 order by 1, 2, 9`,
    ),
  );
}

/** The prices of a provider's models under every version that was used, as the sheet wrote them. */
export async function readProviderSheets(
  db: Queryable,
  provider: string,
): Promise<Array<{ version: string; model: string; prices: unknown }>> {
  return await db.query(sql`
    select version, substr(model, length(${provider}::text) + 2) as model, prices from provider_price_sheets
    where starts_with(model, ${provider}::text || '/')`);
}
