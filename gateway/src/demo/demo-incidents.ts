/** What went wrong in the demo's past: an outage of a simulated provider, and requests that were rejected. */
import type { Principal } from '../access/principal.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { paidEndpoints } from '../contract/paid-endpoints.ts';
import { MINUTE_MS } from '../kernel/durations.ts';
import { Problem } from '../kernel/problem.ts';
import type { ProblemCode } from '../kernel/problem-codes.ts';
import type { Instant } from '../kernel/time.ts';
import type { CallRecord } from '../metering/call-record.ts';
import type { Refusal } from '../metering/refusals.store.ts';
import type { DemoPast } from './demo-event.ts';
import type { DemoRandom } from './demo-random.ts';
import { attemptsAt, factsOf, failedRecord, type PastCall } from './demo-traffic.ts';
import { callers, SPACE } from './demo-workloads.ts';

const OUTAGE_DAYS_AGO = 9;
const OUTAGE_MINUTES = 42;
const OUTAGE_CALLS = 38;
/** Callers of the provider that was unavailable. */
const OUTAGE_KEYS = ['jonas-agent', 'mina-notebook', 'web-shop'];
const OUTAGE_MODEL = 'sim-claude';

/** The calls in the outage that is in this period, if there is one. */
export function outageCalls(
  period: { from: Instant; until: Instant },
  past: DemoPast,
  random: DemoRandom,
): PastCall[] {
  const began = past.at(OUTAGE_DAYS_AGO, 14.1);
  if (began < period.from || began >= period.until) return [];
  const affected = callers.filter(({ key }) => OUTAGE_KEYS.includes(key));
  return Array.from({ length: OUTAGE_CALLS }, () => {
    const at = began + random.between(0, OUTAGE_MINUTES * MINUTE_MS);
    const caller = random.pick(affected);
    const workload = caller.workloads.find(({ model }) => model === OUTAGE_MODEL);
    return { id: random.requestId(at), caller, workload: workload ?? random.pick(caller.workloads), at };
  }).sort((a, b) => a.at - b.at);
}

/** Most attempts are answered with 503, some not at all. */
export function outageRecord(
  call: PastCall,
  principal: Principal,
  { catalog, random }: { catalog: Catalog; random: DemoRandom },
): CallRecord {
  const tried = random.happens(0.2)
    ? attemptsAt(random, 'upstream_timeout', null)
    : attemptsAt(random, 'upstream_unavailable', 503);
  return failedRecord(factsOf(call, principal, catalog), tried, call.at);
}

/** A failed call was answered with an error, which is kept under the same id. */
export function refusalOf(record: CallRecord): Refusal {
  const problem = new Problem(record.problem ?? 'upstream_error');
  const { id, spaceId, keyId } = record;
  return {
    id,
    at: record.startedAt + record.durationMs,
    spaceId,
    keyId,
    endpoint: paidEndpoints.find(({ kind }) => kind === record.endpoint)?.name ?? '',
    code: problem.code,
    status: problem.status,
    detail: problem.detail,
    param: null,
    facts: null,
  };
}

interface Rejection {
  readonly key: string;
  readonly endpoint: string;
  readonly code: ProblemCode;
  readonly detail: string;
  readonly param: string | null;
}

const rejections: readonly Rejection[] = [
  {
    key: 'web-shop',
    endpoint: 'createChatCompletion',
    code: 'model_not_found',
    param: 'model',
    detail:
      'There is no model "sim-chart". Did you mean sim-chat? GET /v1/models lists the models of this key.',
  },
  {
    key: 'support-bot',
    endpoint: 'createChatCompletion',
    code: 'context_length_exceeded',
    param: 'messages',
    detail: 'The prompt has about 17,204 tokens; sim-chat-classic takes 16,000 together with its output.',
  },
  {
    key: 'jonas-agent',
    endpoint: 'createMessage',
    code: 'invalid_parameter',
    param: 'max_tokens',
    detail: 'max_tokens is required: a whole number above 0.',
  },
  {
    key: 'web-shop',
    endpoint: 'createChatCompletion',
    code: 'rate_limit_exceeded',
    param: null,
    detail: 'The key web-shop has reached 600 requests per minute. Retry after the time in Retry-After.',
  },
  {
    key: 'sora-experiments',
    endpoint: 'createResponse',
    code: 'invalid_json',
    param: null,
    detail: 'The body is not a well-formed JSON object: it ends at byte 1,180.',
  },
  {
    key: 'mina-notebook',
    endpoint: 'createImage',
    code: 'content_blocked',
    param: 'prompt',
    detail: 'The provider rejected the prompt under its content policy.',
  },
];

/** Requests that were rejected in a period, with the keys that sent them. */
export function rejectionsBetween(
  { from, until }: { from: Instant; until: Instant },
  random: DemoRandom,
): Array<{ key: string; refusal: Refusal }> {
  return Array.from({ length: random.happens(0.45) ? 1 : 0 }, () => {
    const { key, ...rejection } = random.pick(rejections);
    const at = random.between(from, until - 1);
    const { status } = new Problem(rejection.code);
    const refusal = { id: random.requestId(at), at, spaceId: null, keyId: null, status, facts: null };
    return { key, refusal: { ...refusal, ...rejection } };
  });
}

/** The member of this key has reached their limit. */
export function limitRejection(at: Instant, random: DemoRandom): { key: string; refusal: Refusal } {
  const code = 'policy_limit_exceeded';
  const detail = 'sora.kim@example.com has reached their limit of units for this calendar month (KST).';
  const { status } = new Problem(code);
  return {
    key: 'sora-experiments',
    refusal: {
      id: random.requestId(at),
      at,
      spaceId: null,
      keyId: null,
      endpoint: 'createResponse',
      code,
      status,
      detail,
      param: null,
      facts: { space: SPACE },
    },
  };
}
