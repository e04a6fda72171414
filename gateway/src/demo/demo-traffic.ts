/** The calls of the demo's past: busy working days (KST), quiet nights and weekends, slow growth. */
import type { Principal } from '../access/principal.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { chargedPrice } from '../catalog/charged-price.ts';
import { callKinds } from '../contract/paid-endpoints.ts';
import { DAY_MS } from '../kernel/durations.ts';
import type { ProblemCode } from '../kernel/problem-codes.ts';
import type { Instant } from '../kernel/time.ts';
import {
  type Attribution,
  attributionOf,
  END_USER,
  tagDimension,
} from '../metering/attribution/attribution.ts';
import type { CallAttempt, CallRecord } from '../metering/call-record.ts';
import { missingPrices, priceUsage } from '../pricing/price.ts';
import { providerCost } from '../pricing/provider-cost.ts';
import { NO_TOKENS, type Usage } from '../pricing/usage.ts';
import { kstWeekday } from './demo-clock.ts';
import { PAST_DAYS } from './demo-event.ts';
import { DemoRandom } from './demo-random.ts';
import { callers, type DemoCaller, PREVIEW_MODEL, type Workload } from './demo-workloads.ts';

/** A call before it is known to which ids its key belongs. */
export interface PastCall {
  readonly id: string;
  readonly caller: DemoCaller;
  readonly workload: Workload;
  readonly at: Instant;
}

/** A part of a day, and how many calls a usual working day has in it. */
export interface DayPart {
  readonly hours: number;
  readonly calls: number;
}

export const dayParts: readonly DayPart[] = [
  { hours: 9, calls: 4 },
  { hours: 4.5, calls: 25 },
  { hours: 5, calls: 27 },
  { hours: 5.5, calls: 11 },
];

const WEEKEND = 0.3;
const FAILED = 0.012;
const PARTIAL = 0.008;
const RETRIED = 0.01;

/** The calls from `from` to `until`, in the order of time. At least one, which shows that they were written. */
export function callsBetween(
  { from, until, part, daysAgo }: { from: Instant; until: Instant; part: DayPart; daysAgo: number },
  random: DemoRandom,
): PastCall[] {
  const active = callers.filter((one) => one.fromDaysAgo > daysAgo && daysAgo >= one.untilDaysAgo);
  const weekend = [0, 6].includes(kstWeekday(from)) ? WEEKEND : 1;
  const growth = 0.75 + (0.5 * (PAST_DAYS - daysAgo)) / PAST_DAYS;
  const share = Math.min(1, (until - from) / (part.hours * (DAY_MS / 24)));
  const wanted = part.calls * weekend * growth * share * (0.8 + 0.4 * random.fraction());
  const times = Array.from({ length: Math.max(1, Math.round(wanted)) }, () =>
    random.between(from, until - 1),
  );
  return times
    .sort((a, b) => a - b)
    .map((at) => {
      const caller = random.weighted(active);
      return { id: random.requestId(at), caller, workload: random.weighted(caller.workloads), at };
    });
}

/** What the call used, how it ended and what it cost. */
export function recordOf(
  call: PastCall,
  principal: Principal,
  { catalog, random }: { catalog: Catalog; random: DemoRandom },
): CallRecord {
  const { workload, at } = call;
  const usage = usageOf(workload, random);
  const firstByteMs = random.skewed(160, 1_900);
  const durationMs = firstByteMs + usage.outputTokens * random.between(4, 9);
  const facts = factsOf(call, principal, catalog);
  if (random.happens(FAILED)) return failedRecord(facts, attemptsAt(random, 'upstream_error', 502), at);
  const partial = random.happens(PARTIAL);
  const tried: CallAttempt[] = random.happens(RETRIED)
    ? [
        { status: 503, outcome: 'upstream_unavailable', ms: random.between(20, 400) },
        { status: 200, outcome: 'answered', ms: firstByteMs },
      ]
    : [];
  const model = catalog.models.get(workload.model);
  const price = model === undefined ? null : chargedPrice(model, principal, at);
  const charge = priceUsage(usage, price, workload.image);
  return {
    ...facts,
    streamed: random.happens(workload.streamed ?? 0),
    outcome: partial ? 'partial' : 'completed',
    problem: null,
    finishReason: partial ? null : finishReasonOf(workload),
    usage,
    usageSource: partial ? 'estimated' : 'provider',
    priceVersion: charge === null ? null : facts.priceVersion,
    charge,
    providerCost: providerCost(model?.routes[0]?.billing, usage, { startedAt: at, image: workload.image }),
    missing: missingPrices(usage, price, workload.image),
    attempts: Math.max(1, tried.length),
    tried,
    firstByteMs,
    durationMs,
    chargedAt: at + durationMs,
  };
}

type Facts = Pick<
  CallRecord,
  | 'id'
  | 'spaceId'
  | 'keyId'
  | 'memberId'
  | 'endpoint'
  | 'model'
  | 'provider'
  | 'upstreamModel'
  | 'priceVersion'
  | 'startedAt'
  | 'attribution'
>;

export function factsOf(
  { id, caller, workload, at }: PastCall,
  principal: Principal,
  catalog: Catalog,
): Facts {
  const model = catalog.models.get(workload.model);
  const route = model?.routes[0];
  return {
    id,
    spaceId: principal.spaceId,
    keyId: principal.keyId,
    memberId: principal.memberId,
    endpoint: workload.endpoint,
    model: workload.model,
    startedAt: at,
    provider: route?.provider ?? (workload.model === PREVIEW_MODEL ? 'simulator' : null),
    upstreamModel: route?.upstreamModel ?? workload.model,
    priceVersion: model?.priceVersion ?? null,
    attribution: attributionFor(caller, id),
  };
}

/** The end user follows from the id of the call; a few call more than the others. */
function attributionFor({ team, endUsers }: DemoCaller, id: string): Attribution | null {
  if (team === undefined) return null;
  const tags = { [tagDimension('team')]: team };
  if (endUsers === undefined) return attributionOf(tags);
  const fraction = new DemoRandom(`end user ${id}`).fraction();
  const number = 1 + Math.floor(endUsers * fraction ** 2);
  return attributionOf({ ...tags, [END_USER]: `${team}-user-${number}` });
}

type FailedDemoAttempt = CallAttempt & { readonly outcome: ProblemCode };

/** A call that produced nothing and costs nothing. */
export function failedRecord(facts: Facts, tried: readonly FailedDemoAttempt[], at: Instant): CallRecord {
  const durationMs = tried.reduce((sum, { ms }) => sum + ms, 0);
  const problem = tried.at(-1)?.outcome;
  return {
    ...facts,
    streamed: false,
    outcome: 'failed',
    problem: problem ?? 'upstream_error',
    finishReason: null,
    usage: null,
    usageSource: 'none',
    priceVersion: null,
    charge: null,
    attempts: tried.length,
    tried,
    firstByteMs: null,
    durationMs,
    chargedAt: at + durationMs,
  };
}

export function attemptsAt(
  random: DemoRandom,
  outcome: 'upstream_error' | 'upstream_unavailable' | 'upstream_timeout',
  status: number | null,
): FailedDemoAttempt[] {
  const ms = (): number => (status === null ? 30_000 : random.between(15, 900));
  return Array.from({ length: status === null ? 1 : 3 }, () => ({ status, outcome, ms: ms() }));
}

function usageOf(workload: Workload, random: DemoRandom): Usage {
  if (workload.image) return { ...NO_TOKENS, images: random.between(1, 2) };
  const inputTokens = random.skewed(...workload.inputTokens);
  const outputTokens = random.skewed(...workload.outputTokens);
  const cached = random.happens(0.8) ? (workload.cached ?? 0) * (0.5 + random.fraction() / 2) : 0;
  return {
    inputTokens,
    cachedInputTokens: Math.floor(inputTokens * cached),
    cacheWriteTokens: 0,
    outputTokens,
    reasoningTokens: Math.floor(outputTokens * (workload.reasoning ?? 0)),
  };
}

function finishReasonOf({ endpoint }: Workload): string | null {
  if (endpoint === 'messages') return 'end_turn';
  if (callKinds[endpoint].makes !== 'text') return null;
  return endpoint === 'responses' ? 'completed' : 'stop';
}
