/** What is kept of every call that reached a model: who, what, how it ended, what it used and cost. */
import type { ProblemCode } from '../kernel/problem-codes.ts';
import { type Instant, isoOf, monthOf } from '../kernel/time.ts';
import { printUnits, type Units } from '../kernel/units.ts';
import type { Charge } from '../pricing/price.ts';
import type { Usage, UsageSource } from '../pricing/usage.ts';

/** `partial`: something was produced but the answer did not reach its end. `failed`: nothing was. */
export type CallOutcome = 'completed' | 'partial' | 'failed';

export interface CallRecord {
  /** The request id, which is also the posting id: a call is charged once, however often it is sent. */
  readonly id: string;
  readonly spaceId: string;
  readonly keyId: string;
  readonly memberId: string | null;
  readonly endpoint: string;
  readonly model: string;
  readonly provider: string | null;
  readonly upstreamModel: string | null;
  readonly streamed: boolean;
  readonly outcome: CallOutcome;
  readonly problem: ProblemCode | null;
  /** As the provider wrote it. */
  readonly finishReason: string | null;
  readonly usage: Usage | null;
  readonly usageSource: UsageSource;
  readonly priceVersion: string | null;
  /** Null when the price or the usage is not known: recorded as unpriced, never as zero. */
  readonly charge: Charge | null;
  readonly attempts: number;
  readonly startedAt: Instant;
  readonly firstByteMs: number | null;
  readonly durationMs: number;
  readonly chargedAt: Instant;
}

/**
 * The record as a JSON row of the `calls` table. Written out by hand: every call makes one, ids, codes
 * and amounts need no escaping, and a serialiser would take several times as long.
 */
export function callRow(call: CallRecord): string {
  const { usage, charge } = call;
  return (
    `{"id":"${call.id}","space_id":"${call.spaceId}","key_id":"${call.keyId}",` +
    `"endpoint":"${call.endpoint}","model":"${call.model}","streamed":${call.streamed},` +
    `"outcome":"${call.outcome}","usage_source":"${call.usageSource}",` +
    optional('member_id', call.memberId) +
    optional('provider', call.provider) +
    optional('upstream_model', call.upstreamModel) +
    optional('problem', call.problem) +
    optional('finish_reason', storable(call.finishReason)) +
    optional('price_version', call.priceVersion) +
    (usage === null ? '' : usageFields(usage)) +
    (charge === null ? '' : chargeFields(charge)) +
    (call.firstByteMs === null ? '' : `"first_byte_ms":${Math.round(call.firstByteMs)},`) +
    `"attempts":${call.attempts},"started_at":"${isoOf(call.startedAt)}",` +
    `"duration_ms":${Math.round(call.durationMs)},` +
    `"charged_at":"${isoOf(call.chargedAt)}","month":"${monthOf(call.chargedAt)}"}`
  );
}

/** What is left out is null in the database. */
function optional(name: string, word: string | null): string {
  if (word === null) return '';
  return `"${name}":${SIMPLE_WORD.test(word) ? `"${word}"` : JSON.stringify(word)},`;
}

function usageFields(usage: Usage): string {
  return (
    `"input_tokens":${usage.inputTokens},"cached_input_tokens":${usage.cachedInputTokens},` +
    `"cache_write_tokens":${usage.cacheWriteTokens},"output_tokens":${usage.outputTokens},` +
    `"reasoning_tokens":${usage.reasoningTokens},`
  );
}

function chargeFields(charge: Charge): string {
  const lines = charge.lines.map(
    ({ component, count, price, amount }) =>
      `{"component":"${component}","count":${count},"price":"${printPrice(price)}","amount":"${printUnits(amount)}"}`,
  );
  return `"cost":"${printUnits(charge.total)}","charge_lines":[${lines.join(',')}],`;
}

const printedPrices = new Map<Units, string>();
const PRINTED_PRICES_MAX = 1_000;

/** The same few prices stand on every receipt. */
function printPrice(price: Units): string {
  let text = printedPrices.get(price);
  if (text === undefined) {
    text = printUnits(price);
    if (printedPrices.size < PRINTED_PRICES_MAX) printedPrices.set(price, text);
  }
  return text;
}

/** A provider's word, made fit for a database column whatever it sent. */
function storable(word: string | null): string | null {
  if (typeof word !== 'string') return null;
  return SIMPLE_WORD.test(word)
    ? word
    : word.slice(0, WORD_CHARACTERS_MAX).toWellFormed().replaceAll('\0', '');
}

const WORD_CHARACTERS_MAX = 64;
/** Nothing in such a word needs escaping. */
const SIMPLE_WORD = /^[A-Za-z0-9_.:/-]{1,64}$/;
