/** The record of a call that reached a model: the caller, the request, the outcome, the usage and the cost. */
import type { ProblemCode } from '../kernel/problem-codes.ts';
import { type Instant, isoOf, type Month, monthOf } from '../kernel/time.ts';
import { parseUnits, printUnits, type Units } from '../kernel/units.ts';
import type { Charge } from '../pricing/price.ts';
import type { ProviderCost } from '../pricing/provider-cost.ts';
import { detailsWithMissing } from '../pricing/stored-details.ts';
import type { Usage, UsageSource } from '../pricing/usage.ts';

/** `partial`: the model produced something, but the reply is incomplete. `failed`: it produced nothing. */
export type CallOutcome = 'completed' | 'partial' | 'failed';

/** One attempt at a provider. */
export interface CallAttempt {
  /** The status of the provider's answer; null if there was none. */
  readonly status: number | null;
  readonly outcome: ProblemCode | SkipReason | 'answered' | 'refused';
  /** Until the head of the answer, or the failure. */
  readonly ms: number;
  /** The id of the route. Absent in older records, as is the key. */
  readonly route?: string;
  /** The number of the provider's key, from 1, if it has several. */
  readonly key?: number;
  /** The code of the model, if the call has fallbacks to others. */
  readonly model?: string;
  /** Of a refused attempt: what the provider reported. The caller does not pay for it. */
  readonly inputTokens?: number;
  readonly outputTokens?: number;
}

/** Why a route was not tried: its circuit breaker is open, or it has as many calls as it may have. */
export type SkipReason = 'circuit_open' | 'busy';

export interface CallRecord {
  /** The request id, which is also the posting id: sending the record again does not charge the call again. */
  readonly id: string;
  readonly spaceId: string;
  readonly keyId: string;
  readonly memberId: string | null;
  readonly endpoint: string;
  readonly model: string;
  /** The name in the request, if it is another one: an alias, or a model with fallbacks. */
  readonly requestedModel?: string;
  readonly provider: string | null;
  readonly upstreamModel: string | null;
  readonly streamed: boolean;
  readonly outcome: CallOutcome;
  readonly problem: ProblemCode | null;
  /** As the provider wrote it. */
  readonly finishReason: string | null;
  readonly usage: Usage | null;
  readonly usageSource: UsageSource;
  /** What the provider reported, if it cannot be true and was counted instead. */
  readonly implausible?: Usage;
  readonly priceVersion: string | null;
  /** Null when the price or the usage is unknown: the call is recorded as unpriced, never as free. */
  readonly charge: Charge | null;
  /** What had no price, if the usage is known and the price is not. */
  readonly missing?: readonly string[];
  /** What an unpriced call counts for until it has a price; absent or null: nothing. */
  readonly provisional?: Units | null;
  /** What the provider will bill; absent or null: unknown. */
  readonly providerCost?: ProviderCost | null;
  readonly attempts: number;
  /** Stored only if there was more than one. */
  readonly tried: readonly CallAttempt[];
  readonly startedAt: Instant;
  readonly firstByteMs: number | null;
  readonly durationMs: number;
  readonly chargedAt: Instant;
}

/** The columns of the table `calls`, in the order of the fields of a row. */
export const callColumns = [
  'id',
  'space_id',
  'key_id',
  'member_id',
  'endpoint',
  'model',
  'provider',
  'upstream_model',
  'streamed',
  'outcome',
  'problem',
  'finish_reason',
  'usage_source',
  'input_tokens',
  'cached_input_tokens',
  'cache_write_tokens',
  'output_tokens',
  'reasoning_tokens',
  'price_version',
  'cost',
  'charge_lines',
  'attempts',
  'started_at',
  'first_byte_ms',
  'duration_ms',
  'charged_at',
  'month',
  'images',
  'image_input_tokens',
  'attempt_log',
  'usage_details',
  'provider_cost',
  'provider_currency',
  'provider_price_version',
  'requested_model',
  'provisional',
] as const;

/** Separators. No field can contain them. */
const FIELD_END = '\x1f';
const ROW_END = '\x1e';

/**
 * The record as a row for `charge_calls`: the fields as text, an empty field is null. JSON would be twice as
 * long, and parsing it was a large part of the cost of a commit on the embedded engine.
 */
export function callRow(call: CallRecord): string {
  const { usage, charge, providerCost } = call;
  return [
    call.id,
    call.spaceId,
    call.keyId,
    call.memberId ?? '',
    call.endpoint,
    call.model,
    fieldText(call.provider),
    fieldText(call.upstreamModel),
    call.streamed ? 't' : 'f',
    call.outcome,
    call.problem ?? '',
    fieldText(call.finishReason),
    call.usageSource,
    usage?.inputTokens ?? '',
    usage?.cachedInputTokens ?? '',
    usage?.cacheWriteTokens ?? '',
    usage?.outputTokens ?? '',
    usage?.reasoningTokens ?? '',
    fieldText(call.priceVersion),
    charge === null ? '' : printUnits(charge.total),
    charge === null ? '' : chargeLines(charge),
    call.attempts,
    isoOf(call.startedAt),
    call.firstByteMs === null ? '' : Math.round(call.firstByteMs),
    Math.round(call.durationMs),
    isoOf(call.chargedAt),
    monthOf(call.chargedAt),
    usage?.images ?? '',
    usage?.details?.imageInputTokens ?? '',
    call.tried.length > 1 ? attemptLog(call.tried) : '',
    detailsText(call),
    providerCost ? printUnits(providerCost.amount) : '',
    providerCost?.currency ?? '',
    providerCost ? fieldText(providerCost.version) : '',
    call.requestedModel === undefined ? '' : fieldText(call.requestedModel),
    call.provisional ? printUnits(call.provisional) : '',
  ].join(FIELD_END);
}

export function joinRows(rows: readonly string[]): string {
  return rows.join(ROW_END);
}

export function splitRows(rows: string): string[] {
  return rows.split(ROW_END);
}

const SPACE_FIELD = callColumns.indexOf('space_id');
const MONTH_FIELD = callColumns.indexOf('month');

/** The space and the month of a row. */
export function rowKeys(row: string): { spaceId: string; month: Month } {
  const fields = row.split(FIELD_END);
  return { spaceId: fields[SPACE_FIELD] ?? '', month: fields[MONTH_FIELD] ?? '' };
}

const KEY_FIELD = callColumns.indexOf('key_id');
const MEMBER_FIELD = callColumns.indexOf('member_id');
const COST_FIELD = callColumns.indexOf('cost');
const PROVISIONAL_FIELD = callColumns.indexOf('provisional');

/** Who pays for a row, and how much counts as spent; null if that is nothing. */
export function rowCharge(row: string): { ids: string[]; cost: Units } | null {
  const fields = row.split(FIELD_END);
  const cost = fields[COST_FIELD] || (fields[PROVISIONAL_FIELD] ?? '');
  const ids = [fields[KEY_FIELD] ?? '', fields[MEMBER_FIELD] ?? ''].filter((id) => id !== '');
  return cost === '' || cost === '0' ? null : { ids, cost: parseUnits(cost) };
}

function chargeLines(charge: Charge): string {
  let lines = '';
  for (const { component, count, price, amount } of charge.lines) {
    const comma = lines === '' ? '' : ',';
    lines += `${comma}{"component":"${component}","count":${count},"price":"${printPrice(price)}","amount":"${printUnits(amount)}"}`;
  }
  return `[${lines}]`;
}

/** Empty for most calls. */
function detailsText({ usage, missing, implausible }: CallRecord): string {
  const details = detailsWithMissing(usage?.details, missing, implausible);
  return details === null ? '' : JSON.stringify(details);
}

function attemptLog(tried: readonly CallAttempt[]): string {
  const attempts = tried.map(({ status, outcome, ms, route, key, model, inputTokens, outputTokens }) => ({
    status,
    outcome,
    ms: Math.round(ms),
    ...(route !== undefined && { route: fieldText(route) }),
    ...(key !== undefined && { key }),
    ...(model !== undefined && { model }),
    ...(inputTokens !== undefined && { inputTokens, outputTokens }),
  }));
  return JSON.stringify(attempts);
}

const printedPrices = new Map<Units, string>();
const PRINTED_PRICES_MAX = 1_000;

/** Cached, because every receipt repeats the same few prices. */
function printPrice(price: Units): string {
  let text = printedPrices.get(price);
  if (text === undefined) {
    text = printUnits(price);
    if (printedPrices.size < PRINTED_PRICES_MAX) printedPrices.set(price, text);
  }
  return text;
}

/** Makes text from a provider or a configuration safe for a field: limited in length, no control characters. */
function fieldText(word: string | null): string {
  if (typeof word !== 'string') return '';
  if (SIMPLE_WORD.test(word)) return word;
  return word.slice(0, WORD_CHARACTERS_MAX).toWellFormed().replace(CONTROLS, '');
}

const WORD_CHARACTERS_MAX = 200;
const SIMPLE_WORD = /^[A-Za-z0-9_.:/-]{1,64}$/;
const CONTROLS = /\p{Cc}/gu;
