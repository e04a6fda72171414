/** The record of a call that reached a model: the caller, the request, the outcome, the usage and the cost. */
import type { ProblemCode } from '../kernel/problem-codes.ts';
import { type Instant, isoOf, type Month, monthOf } from '../kernel/time.ts';
import { parseUnits, printUnits, type Units } from '../kernel/units.ts';
import type { Charge } from '../pricing/price.ts';
import type { ProviderCost } from '../pricing/provider-cost.ts';
import { detailsWithMissing } from '../pricing/stored-details.ts';
import type { Usage, UsageSource } from '../pricing/usage.ts';
import type { Attribution } from './attribution/attribution.ts';
import { type CountedBudget, countedText, readCounted } from './budgets/match-budgets.ts';

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
  /** Absent or null: attributed to nothing. */
  readonly attribution?: Attribution | null;
  /** Those that it counts in; absent: none. */
  readonly budgets?: readonly CountedBudget[];
}

/**
 * The columns of the table `calls`, with the values of the attribution, each with what a record has in it: text or a
 * number; empty is null.
 */
const fields = {
  id: ({ id }) => id,
  space_id: ({ spaceId }) => spaceId,
  key_id: ({ keyId }) => keyId,
  member_id: ({ memberId }) => memberId ?? '',
  endpoint: ({ endpoint }) => endpoint,
  model: ({ model }) => model,
  provider: ({ provider }) => fieldText(provider),
  upstream_model: ({ upstreamModel }) => fieldText(upstreamModel),
  streamed: ({ streamed }) => (streamed ? 't' : 'f'),
  outcome: ({ outcome }) => outcome,
  problem: ({ problem }) => problem ?? '',
  finish_reason: ({ finishReason }) => fieldText(finishReason),
  usage_source: ({ usageSource }) => usageSource,
  input_tokens: ({ usage }) => usage?.inputTokens ?? '',
  cached_input_tokens: ({ usage }) => usage?.cachedInputTokens ?? '',
  cache_write_tokens: ({ usage }) => usage?.cacheWriteTokens ?? '',
  output_tokens: ({ usage }) => usage?.outputTokens ?? '',
  reasoning_tokens: ({ usage }) => usage?.reasoningTokens ?? '',
  price_version: ({ priceVersion }) => fieldText(priceVersion),
  cost: ({ charge }) => (charge === null ? '' : printUnits(charge.total)),
  charge_lines: ({ charge }) => (charge === null ? '' : chargeLines(charge)),
  attempts: ({ attempts }) => attempts,
  started_at: ({ startedAt }) => isoOf(startedAt),
  first_byte_ms: ({ firstByteMs }) => (firstByteMs === null ? '' : Math.round(firstByteMs)),
  duration_ms: ({ durationMs }) => Math.round(durationMs),
  charged_at: ({ chargedAt }) => isoOf(chargedAt),
  month: ({ chargedAt }) => monthOf(chargedAt),
  images: ({ usage }) => usage?.images ?? '',
  image_input_tokens: ({ usage }) => usage?.details?.imageInputTokens ?? '',
  attempt_log: ({ tried }) => (tried.length > 1 ? attemptLog(tried) : ''),
  usage_details: detailsText,
  provider_cost: ({ providerCost }) => (providerCost ? printUnits(providerCost.amount) : ''),
  provider_currency: ({ providerCost }) => providerCost?.currency ?? '',
  provider_price_version: ({ providerCost }) => (providerCost ? fieldText(providerCost.version) : ''),
  requested_model: ({ requestedModel }) => (requestedModel === undefined ? '' : fieldText(requestedModel)),
  provisional: ({ provisional }) => (provisional ? printUnits(provisional) : ''),
  attribution: ({ attribution }) => attribution?.id ?? '',
  dimensions: ({ attribution }) => attribution?.text ?? '',
  budgets: ({ budgets, chargedAt }) =>
    budgets === undefined || budgets.length === 0 ? '' : countedText(budgets, chargedAt),
} satisfies Record<string, (call: CallRecord) => string | number>;

/** In the order of the fields of a row. */
export const callColumns: readonly string[] = Object.keys(fields);
/** Of all but the first. */
const writeFields: ReadonlyArray<(call: CallRecord) => string | number> = Object.values(fields).slice(1);

/** Separators. No field can contain them. */
const FIELD_END = '\x1f';
const ROW_END = '\x1e';

/**
 * The record as a row for `charge_calls`: the fields as text, an empty field is null. JSON would be twice as
 * long, and parsing it was a large part of the cost of a commit on the embedded engine.
 */
export function callRow(call: CallRecord): string {
  // Cheaper than a list that is joined.
  let row = call.id;
  for (const write of writeFields) row += `${FIELD_END}${write(call)}`;
  return row;
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

const BUDGETS_FIELD = callColumns.indexOf('budgets');

export interface CountedCost {
  /** Of the key and the member. */
  readonly ids: readonly string[];
  readonly budgets: ReadonlyArray<{ readonly purse: string; readonly window: string }>;
  readonly cost: Units;
}

/** Who pays for a row, and how much counts as spent; null if that is nothing. */
export function rowCharge(row: string): CountedCost | null {
  const fields = row.split(FIELD_END);
  const cost = fields[COST_FIELD] || (fields[PROVISIONAL_FIELD] ?? '');
  const ids = [fields[KEY_FIELD] ?? '', fields[MEMBER_FIELD] ?? ''].filter((id) => id !== '');
  const counted = fields[BUDGETS_FIELD] ?? '';
  const budgets = counted === '' ? [] : readCounted(counted);
  return cost === '' || cost === '0' ? null : { ids, budgets, cost: parseUnits(cost) };
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
