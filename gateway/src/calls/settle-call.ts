/** The end of every call: determine its usage, price it, record it. */
import type { Principal } from '../access/principal.ts';
import { chargedPrice } from '../catalog/charged-price.ts';
import type { Model, UpstreamRoute } from '../catalog/model.ts';
import type { BackgroundTasks } from '../kernel/background-tasks.ts';
import type { ProblemCode } from '../kernel/problem-codes.ts';
import type { Clock, Instant } from '../kernel/time.ts';
import { addUnits, printUnits, type Units } from '../kernel/units.ts';
import type { Admission } from '../metering/admission.ts';
import type { CallAttempt, CallOutcome, CallRecord } from '../metering/call-record.ts';
import type { CallRecorder } from '../metering/call-recorder.ts';
import { type ImageKind, missingPrices, priceUsage } from '../pricing/price.ts';
import { providerCost } from '../pricing/provider-cost.ts';
import type { Usage, UsageDetails, UsageSource } from '../pricing/usage.ts';
import { withSeenDetails, withServedTier } from '../pricing/usage-details.ts';
import type { ProviderApi } from '../providers/provider.ts';
import type { RateLimiter } from '../rates/rate-limiter.ts';
import type { CallMeter } from '../telemetry/call-meter.ts';
import type { RequestTrace } from '../telemetry/trace.ts';
import type { TokenCounter } from '../tokens/token-counter.ts';
import { roughTokens } from '../tokens/token-counter.ts';

/** What is known of a call from its start. */
export interface CallFacts {
  readonly id: string;
  readonly principal: Principal;
  readonly endpoint: string;
  readonly model: Model;
  /** The name in the request. */
  readonly requested: string;
  readonly streamed: boolean;
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
  readonly admission: Pick<Admission, 'checkSpending' | 'spent' | 'spaceClass'>;
  readonly rates: Pick<RateLimiter, 'countRequest' | 'used' | 'headers'>;
  readonly tokens: TokenCounter;
  readonly clock: Clock;
  readonly background: BackgroundTasks;
  readonly meter: CallMeter;
}

/** Resolves to the cost once it is durable; null if the price is unknown. */
export async function settleCall(
  facts: CallFacts,
  end: CallEnd,
  tools: SettleTools,
  hold: AnswerHold | null = null,
): Promise<Units | null> {
  const { clock } = tools;
  if (end.usage !== null) tools.rates.used(facts.principal, end.usage.inputTokens + end.usage.outputTokens);
  const price = chargedPrice(facts.model, facts.principal, facts.startedAt);
  const charge = end.usage === null ? null : priceUsage(end.usage, price, end.image);
  const unpriced = end.usage !== null && charge === null;
  const record: CallRecord = {
    id: facts.id,
    spaceId: facts.principal.spaceId,
    keyId: facts.principal.keyId,
    memberId: facts.principal.memberId,
    endpoint: facts.endpoint,
    model: facts.model.code,
    ...(facts.requested !== facts.model.code && { requestedModel: facts.requested }),
    provider: end.route?.provider ?? null,
    upstreamModel: end.route?.upstreamModel ?? null,
    streamed: facts.streamed,
    outcome: end.outcome,
    problem: end.problem,
    finishReason: end.finishReason,
    usage: end.usage,
    usageSource: end.usageSource,
    priceVersion: charge === null ? null : facts.model.priceVersion,
    charge,
    providerCost: providerCost(end.route?.billing, end.usage, {
      startedAt: facts.startedAt,
      image: end.image,
    }),
    ...(unpriced && { missing: missingPrices(end.usage, price, end.image) }),
    attempts: end.attempts,
    tried: end.tried,
    startedAt: facts.startedAt,
    firstByteMs: end.firstByteMs,
    durationMs: clock.elapsedMs() - facts.startedMs,
    chargedAt: clock.now(),
  };
  if (hold !== null) await hold.store(record);
  const spaceClass = tools.admission.spaceClass(facts.principal.spaceId);
  const charged = tools.meter.called(record, end.route, spaceClass, facts.trace);
  if (facts.trace === null) await tools.recorder.record(record);
  else await recordTraced(record, facts.trace, tools);
  hold?.charged();
  if (charge === null) return null;
  tools.admission.spent(facts.principal, charge.total);
  if (charged !== null) charged.units = addUnits(charged.units, charge.total);
  return charge.total;
}

async function recordTraced(record: CallRecord, trace: RequestTrace, tools: SettleTools): Promise<void> {
  trace.answerEnded(record);
  const { spaceId, keyId, model, charge } = record;
  trace.describe({
    ...{ 'tollgate.space_id': spaceId, 'tollgate.key_id': keyId, 'tollgate.model': model },
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

/** The numbers of the provider, even an explicit zero, take precedence over a count. */
export function reportedUsage(usage: Usage): { usage: Usage; usageSource: UsageSource } {
  return { usage, usageSource: 'provider' };
}

/** Adds the tier that a header of the answer reports, for providers that report it there. */
export function withHeaderTier(
  usage: Usage,
  { api, headers }: { api: ProviderApi; headers: Readonly<Record<string, unknown>> },
): Usage {
  return api.tierHeader === undefined ? usage : withServedTier(usage, headers[api.tierHeader]);
}

/** Estimate for an image of common size. */
export const TOKENS_PER_IMAGE = 1_000;

/** Counted tokens, marked as estimated, if the provider reported no plausible usage. */
export async function countedUsage(
  texts: {
    prompt: () => string[];
    /** Tokens that the prompt has as token ids. */
    promptTokens?: number;
    images: number;
    produced: () => { texts: string[]; restCharacters: number };
    /** Tools and the tier, which are not counted but seen in the answer. */
    seen?: UsageDetails | undefined;
  },
  tokens: TokenCounter,
): Promise<{ usage: Usage; usageSource: UsageSource }> {
  const produced = texts.produced();
  const [inputTokens, outputTokens] = await Promise.all([
    tokens
      .count(texts.prompt())
      .then((count) => count + (texts.promptTokens ?? 0) + texts.images * TOKENS_PER_IMAGE),
    tokens.count(produced.texts),
  ]);
  const counted: Usage = {
    inputTokens,
    cachedInputTokens: 0,
    cacheWriteTokens: 0,
    outputTokens: outputTokens + roughTokens(produced.restCharacters),
    reasoningTokens: 0,
  };
  return { usage: withSeenDetails(counted, texts.seen), usageSource: 'estimated' };
}
