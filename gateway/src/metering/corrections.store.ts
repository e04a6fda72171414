/**
 * Corrections: what a call should have cost. The call keeps its original charge; the difference is a journal
 * entry. The totals of the call's own month and day change too, so that reports show the corrected cost. A call that is
 * priced in this way also gets the cost at its provider, if that has a price by now.
 */
import type { ReceiptUsageDetails } from '../contract/receipt.ts';
import { type Queryable, type Transaction, timestamp } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import type { Instant } from '../kernel/time.ts';
import { parseUnits, printUnits, subtractUnits, type Units, ZERO } from '../kernel/units.ts';
import { lockAccount } from '../ledger/accounts.store.ts';
import { correctCharge } from '../ledger/charge.ts';
import type { ProviderCost } from '../pricing/provider-cost.ts';
import { correctAttributed } from './attribution/attributions.store.ts';
import { correctBudgeted } from './budgets/budget-parts.store.ts';

/** A call and its cost, with all corrections so far. */
export interface ChargedCall {
  readonly id: string;
  readonly spaceId: string;
  readonly keyId: string;
  readonly model: string;
  readonly month: string;
  /** Null: unknown. */
  readonly cost: Units | null;
  /** What it counts for as long as its cost is unknown. */
  readonly provisional: Units;
}

export interface Correction {
  readonly callId: string;
  /** What it should have cost. */
  readonly cost: Units;
  readonly note: string;
  readonly at: Instant;
  /** Stored if the provider cost of the call is unknown. */
  readonly providerCost?: ProviderCost | null;
}

/** A call whose provider cost is unknown although its usage is known. */
export interface UnbilledCall {
  readonly model: string;
  readonly provider: string;
  readonly upstreamModel: string;
  readonly startedAt: Instant;
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
  readonly reasoningTokens: number;
  readonly images: number | null;
  readonly details: ReceiptUsageDetails | null;
}

export async function findUnbilledCall(db: Queryable, id: string): Promise<UnbilledCall | null> {
  const [row] = await db.query<UnbilledCall>(sql`
    select model, provider, upstream_model as "upstreamModel", started_at as "startedAt",
      input_tokens as "inputTokens", cached_input_tokens as "cachedInputTokens",
      cache_write_tokens as "cacheWriteTokens", output_tokens as "outputTokens",
      reasoning_tokens as "reasoningTokens", images, usage_details as details
    from calls where id = ${id} and outcome <> 'failed' and provider_cost is null and provider is not null
      and upstream_model is not null and input_tokens is not null`);
  return row ?? null;
}

/** A failed call produced nothing and costs nothing, so it cannot be corrected. */
export async function findChargedCall(db: Queryable, id: string): Promise<ChargedCall | null> {
  const [row] = await db.query<
    Omit<ChargedCall, 'cost' | 'provisional'> & { cost: string | null; provisional: string }
  >(sql`
    select id, space_id as "spaceId", key_id as "keyId", model, month, coalesce((
      select cost_after from corrections where call_id = calls.id order by id desc limit 1), cost) as cost,
      coalesce(provisional, 0) as provisional
    from calls where id = ${id} and outcome <> 'failed'`);
  if (row === undefined) return null;
  const cost = row.cost === null ? null : parseUnits(row.cost);
  return { ...row, cost, provisional: parseUnits(row.provisional) };
}

/** Returns the call as it was before; null when there is no such call. */
export async function correctCall(tx: Transaction, correction: Correction): Promise<ChargedCall | null> {
  const { callId, cost, note, at, providerCost } = correction;
  const known = await findChargedCall(tx, callId);
  if (known === null) return null;
  await lockAccount(tx, known.spaceId);
  // Read again under the lock: it may have been corrected or removed meanwhile.
  const call = await findChargedCall(tx, callId);
  if (call === null) return null;
  const difference = subtractUnits(cost, call.cost ?? ZERO);
  const { spaceId } = call;
  const entryId = await correctCharge(tx, { callId, spaceId, note, at }, difference);
  await tx.query(sql`
    insert into corrections (space_id, call_id, entry_id, cost_before, cost_after, note, at)
    values (${spaceId}, ${call.id}, ${entryId}, ${call.cost === null ? null : printUnits(call.cost)},
      ${printUnits(cost)}, ${note}, ${timestamp(at)})`);
  await moveTotals(tx, call, difference);
  if (providerCost) await writeProviderCost(tx, call, providerCost);
  return call;
}

async function writeProviderCost(
  tx: Transaction,
  { spaceId, id }: ChargedCall,
  { amount, currency, version }: ProviderCost,
): Promise<void> {
  await tx.query(sql`
    update calls set provider_cost = ${printUnits(amount)}::numeric, provider_currency = ${currency},
      provider_price_version = ${version}
    where space_id = ${spaceId} and id = ${id} and provider_cost is null`);
}

/** The difference is in the rows of no process, beside those of the process that charged the call. */
async function moveTotals(tx: Transaction, call: ChargedCall, difference: Units): Promise<void> {
  const amount = printUnits(difference);
  const priced = call.cost === null ? 1 : 0;
  // It has a cost now, so nothing stands in for it.
  if (call.provisional > ZERO)
    await tx.query(
      sql`update calls set provisional = null where space_id = ${call.spaceId} and id = ${call.id}`,
    );
  await tx.query(sql`
    insert into month_parts as t (space_id, month, key_id, model, requests, unpriced, cost, provisional)
    values (${call.spaceId}, ${call.month}, ${call.keyId}, ${call.model}, 0, ${-priced}, ${amount},
      -(${printUnits(call.provisional)}::numeric))
    on conflict (space_id, month, key_id, model, writer) do update
    set unpriced = t.unpriced + excluded.unpriced, cost = t.cost + excluded.cost,
      provisional = t.provisional + excluded.provisional`);
  await tx.query(sql`
    insert into day_parts as t (space_id, day, model, requests, unpriced, cost)
    select ${call.spaceId}, korean_day(charged_at), ${call.model}, 0, ${-priced}, ${amount}
    from calls where space_id = ${call.spaceId} and id = ${call.id}
    on conflict (space_id, day, model, writer) do update
    set unpriced = t.unpriced + excluded.unpriced, cost = t.cost + excluded.cost`);
  await correctAttributed(tx, call, { unpriced: -priced, cost: difference });
  await correctBudgeted(tx, call, subtractUnits(difference, call.provisional));
}
