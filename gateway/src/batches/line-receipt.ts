/** The receipt of a line: what it used and what each part of it costs. It stays when the line is deleted. Pure. */
import type { ReceiptLine, ReceiptUsageDetails } from '../contract/receipt.ts';
import { isoOf } from '../kernel/time.ts';
import { printUnits } from '../kernel/units.ts';
import type { CallAttempt, CallRecord } from '../metering/call-record.ts';
import { detailsWithMissing, storedLines } from '../pricing/stored-details.ts';

/** What a line used and what it costs, as for a call. */
export type LineRecord = Pick<
  CallRecord,
  | 'provider'
  | 'upstreamModel'
  | 'outcome'
  | 'problem'
  | 'finishReason'
  | 'usage'
  | 'usageSource'
  | 'priceVersion'
  | 'charge'
  | 'missing'
  | 'providerCost'
  | 'attempts'
  | 'tried'
  | 'startedAt'
  | 'durationMs'
  | 'attribution'
  | 'budgets'
>;

/** The columns of the table `line_receipts`, without the batch and the line. */
export interface LineReceipt {
  readonly id: string;
  readonly provider: string | null;
  readonly upstream_model: string | null;
  readonly outcome: string;
  readonly problem: string | null;
  readonly finish_reason: string | null;
  readonly usage_source: string;
  readonly input_tokens: number | null;
  readonly cached_input_tokens: number | null;
  readonly cache_write_tokens: number | null;
  readonly output_tokens: number | null;
  readonly reasoning_tokens: number | null;
  readonly usage_details: ReceiptUsageDetails | null;
  readonly price_version: string | null;
  readonly cost: string | null;
  readonly charge_lines: readonly ReceiptLine[] | null;
  readonly attempts: number;
  readonly attempt_log: readonly CallAttempt[] | null;
  readonly started_at: string;
  readonly duration_ms: number;
  readonly attribution: string | null;
}

/** The longest finish reason of a provider that is kept. */
const WORD_CHARACTERS_MAX = 200;

export function lineReceipt(id: string, record: LineRecord): LineReceipt {
  const { usage, charge, tried } = record;
  return {
    id,
    provider: record.provider,
    upstream_model: record.upstreamModel,
    outcome: record.outcome,
    problem: record.problem,
    finish_reason: record.finishReason?.slice(0, WORD_CHARACTERS_MAX) ?? null,
    usage_source: record.usageSource,
    input_tokens: usage?.inputTokens ?? null,
    cached_input_tokens: usage?.cachedInputTokens ?? null,
    cache_write_tokens: usage?.cacheWriteTokens ?? null,
    output_tokens: usage?.outputTokens ?? null,
    reasoning_tokens: usage?.reasoningTokens ?? null,
    usage_details: detailsWithMissing(usage?.details, record.missing),
    price_version: record.priceVersion,
    cost: charge && printUnits(charge.total),
    charge_lines: charge && storedLines(charge),
    attempts: record.attempts,
    attempt_log:
      tried.length > 1
        ? tried.map(({ status, outcome, ms }) => ({ status, outcome, ms: Math.round(ms) }))
        : null,
    started_at: isoOf(record.startedAt),
    duration_ms: Math.round(record.durationMs),
    attribution: record.attribution?.text ?? null,
  };
}
