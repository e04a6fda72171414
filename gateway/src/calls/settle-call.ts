/** The end of every call: determine its usage, price it, record it. */
import type { Principal } from '../access/principal.ts';
import { chargedPrice } from '../catalog/charged-price.ts';
import type { Model, UpstreamRoute } from '../catalog/model.ts';
import type { CallKind } from '../contract/paid-endpoints.ts';
import type { BackgroundTasks } from '../kernel/background-tasks.ts';
import type { ProblemCode } from '../kernel/problem-codes.ts';
import type { Clock, Instant } from '../kernel/time.ts';
import { addUnits, printUnits, type Units, ZERO } from '../kernel/units.ts';
import type { Admission } from '../metering/admission.ts';
import type { Attribution } from '../metering/attribution/attribution.ts';
import type { CallBudgets } from '../metering/budgets/match-budgets.ts';
import type { CallAttempt, CallOutcome, CallRecord } from '../metering/call-record.ts';
import type { CallRecorder } from '../metering/call-recorder.ts';
import type { LeftCall, LeftCalls } from '../metering/left-calls.ts';
import type { Hold } from '../metering/purses/hold.ts';
import { spaceClass } from '../metering/space-class.ts';
import type { ImageKind } from '../pricing/price.ts';
import { providerCost } from '../pricing/provider-cost.ts';
import { type PricedUsage, priceOrProvisional } from '../pricing/unpriced.ts';
import type { Usage, UsageSource } from '../pricing/usage.ts';
import { withServedTier } from '../pricing/usage-details.ts';
import type { ProviderApi } from '../providers/provider.ts';
import type { RateLimiter } from '../rates/rate-limiter.ts';
import type { CallMeter } from '../telemetry/call-meter.ts';
import type { RequestTrace } from '../telemetry/trace.ts';
import type { TokenCounter } from '../tokens/token-counter.ts';
import { type CallSize, isBelievable } from './believable-usage.ts';

/** What is known of a call from its start. */
export interface CallFacts {
  readonly id: string;
  readonly principal: Principal;
  /** What it may cost, taken from units and limits. */
  readonly hold: Hold;
  readonly endpoint: CallKind;
  readonly model: Model;
  /** The name in the request. */
  readonly requested: string;
  readonly streamed: boolean;
  /** Null: it is attributed to nothing. */
  readonly attribution: Attribution | null;
  /** Null: it has none. */
  readonly budgets: CallBudgets | null;
  readonly startedAt: Instant;
  readonly startedMs: number;
  /** Null if traces are off, and for lines of batches. */
  readonly trace: RequestTrace | null;
}

/** What is known at its end. */
export interface CallEnd {
  readonly outcome: CallOutcome;
  readonly problem: ProblemCode | null;
  readonly route: UpstreamRoute | null;
  readonly attempts: number;
  /** Every attempt, if there was more than one. */
  readonly tried: readonly CallAttempt[];
  readonly finishReason: string | null;
  readonly usage: Usage | null;
  readonly usageSource: UsageSource;
  readonly firstByteMs: number | null;
  /** What the provider reported, if it cannot be true. */
  readonly implausible?: Usage | null;
  /** For calls that generate images. */
  readonly image?: ImageKind;
}

/** Stores an answer for repeats of its request. */
export interface AnswerHold {
  /** Before the charge. Rejects if the call must not be charged. */
  store(record: CallRecord): Promise<void>;
  /** The charge is durable. */
  charged(): void;
}

export interface SettleTools {
  readonly recorder: Pick<CallRecorder, 'checkCanRecord' | 'record'>;
  readonly admission: Pick<Admission, 'admit'>;
  readonly leftCalls: Pick<LeftCalls, 'open'>;
  readonly rates: Pick<RateLimiter, 'countRequest' | 'used' | 'headers'>;
  readonly tokens: TokenCounter;
  readonly clock: Clock;
  readonly background: BackgroundTasks;
  readonly meter: CallMeter;
}

/** Who waits for the end of a call besides its caller. */
export interface Waiting {
  /** Stores the answer for repeats of its request. */
  readonly answer?: AnswerHold | null;
  /** The caller left before the usage was known. */
  readonly left?: LeftCall | null;
}

/** Resolves to the cost once it is durable; null if the price is unknown. */
export async function settleCall(
  facts: CallFacts,
  end: CallEnd,
  tools: SettleTools,
  { answer = null, left = null }: Waiting = {},
): Promise<Units | null> {
  if (end.usage !== null) tools.rates.used(facts.principal, end.usage.inputTokens + end.usage.outputTokens);
  if (end.implausible && end.route !== null) tools.meter.implausible(end.route, facts.model.code);
  const record = endedRecord(facts, end, tools.clock);
  const cost = record.charge?.total ?? null;
  try {
    // Most answers are not stored, and do not wait here.
    if (answer !== null) await answer.store(record);
    const charged = tools.meter.called(record, end.route, spaceClass(facts.principal), facts.trace);
    try {
      if (facts.trace === null) await tools.recorder.record(record);
      else await recordTraced(record, facts.trace, tools);
    } finally {
      // Also if nobody waits any longer: it is still sent to the database.
      facts.hold.settle(cost ?? record.provisional ?? ZERO, record.chargedAt);
    }
    answer?.charged();
    left?.settled();
    if (cost !== null && charged !== null) charged.units = addUnits(charged.units, cost);
    return cost;
  } catch (error) {
    left?.abandon();
    throw error;
  }
}

/** The record of a call that ends now. */
export function endedRecord(facts: CallFacts, end: CallEnd, clock: Clock): CallRecord {
  const price = chargedPrice(facts.model, facts.principal, facts.startedAt);
  const priced = end.usage === null ? NOT_USED : priceOrProvisional(end.usage, price, end.image);
  return {
    id: facts.id,
    spaceId: facts.principal.spaceId,
    keyId: facts.principal.keyId,
    memberId: facts.principal.memberId,
    endpoint: facts.endpoint,
    model: facts.model.code,
    provider: end.route?.provider ?? null,
    upstreamModel: end.route?.upstreamModel ?? null,
    streamed: facts.streamed,
    outcome: end.outcome,
    problem: end.problem,
    finishReason: end.finishReason,
    usage: end.usage,
    usageSource: end.usageSource,
    priceVersion: priced.charge === null ? null : facts.model.priceVersion,
    charge: priced.charge,
    providerCost: providerCost(end.route?.billing, end.usage, {
      startedAt: facts.startedAt,
      image: end.image,
    }),
    attempts: end.attempts,
    tried: end.tried,
    startedAt: facts.startedAt,
    firstByteMs: end.firstByteMs,
    durationMs: clock.elapsedMs() - facts.startedMs,
    chargedAt: clock.now(),
    attribution: facts.attribution,
    // Last: what follows a spread in a literal is added to the object field by field.
    ...(facts.requested !== facts.model.code && { requestedModel: facts.requested }),
    ...(facts.budgets !== null && { budgets: facts.budgets.of(facts.model.code) }),
    ...(end.implausible && { implausible: end.implausible }),
    ...(priced.missing.length > 0 && { missing: priced.missing, provisional: priced.provisional }),
  };
}

const NOT_USED: PricedUsage = { charge: null, missing: [], provisional: null };

async function recordTraced(record: CallRecord, trace: RequestTrace, tools: SettleTools): Promise<void> {
  trace.answerEnded(record);
  const { spaceId, keyId, model, charge } = record;
  trace.describe({
    'tollgate.space_id': spaceId,
    'tollgate.key_id': keyId,
    'tollgate.model': model,
    ...(charge !== null && { 'tollgate.cost_units': printUnits(charge.total) }),
  });
  const endCommit = trace.startCommit();
  try {
    await tools.recorder.record(record);
    endCommit(null);
  } catch (error) {
    endCommit(error);
    throw error;
  }
}

export interface UsedUsage {
  readonly usage: Usage;
  readonly usageSource: UsageSource;
  /** What the provider reported, if it cannot be true. */
  readonly implausible: Usage | null;
}

/** The numbers of the provider, even an explicit zero, take precedence over a count. Null: they are missing or not believable. */
export function reportedUsage(usage: Usage | null, model: Model, size: CallSize): UsedUsage | null {
  if (usage === null || !isBelievable(usage, model, size)) return null;
  return { usage, usageSource: 'provider', implausible: null };
}

/** Adds the tier that a header of the answer reports, for providers that report it there. */
export function withHeaderTier(
  usage: Usage,
  { api, headers }: { api: ProviderApi; headers: Readonly<Record<string, unknown>> },
): Usage {
  return api.tierHeader === undefined ? usage : withServedTier(usage, headers[api.tierHeader]);
}
