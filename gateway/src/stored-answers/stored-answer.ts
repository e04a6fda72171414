/**
 * What a stored answer is: the answer of a model call that outlives the request that asked for it. It has an owner, a key,
 * a claim that its process renews, events or a body, an end with the record of its charge, and a time when it expires.
 * Pure.
 */
import type { OwnerScope } from '../access/principal.ts';
import type { RepeatsName } from '../contract/paid-endpoints.ts';
import { DAY_MS } from '../kernel/durations.ts';
import type { Instant } from '../kernel/time.ts';

/** How long an answer is kept. */
export const ANSWER_KEPT_MS = DAY_MS;
/** After a crash a repeat runs the call again after this time. Several slow renewals fit into it. */
export const CALL_LEASE_MS = 6_000;

export interface NamedCall {
  readonly spaceId: string;
  readonly callId: string;
}

/** Whose answer it is, and the name under which a request finds it: its Idempotency-Key, or else the id of its call. */
export interface AnswerScope extends OwnerScope {
  /** Each has its own keys. */
  readonly operation: RepeatsName;
  readonly key: string;
}

export type AnswerState = 'running' | 'answered' | 'not_kept' | 'rejected';

export interface StoredAnswer extends NamedCall, AnswerScope {
  readonly digest: string;
  readonly state: AnswerState;
  readonly streamed: boolean;
  /** The headers of an answer, or the error of a rejected request. */
  readonly head: string | null;
  /** The record that is still to be charged. */
  readonly charge: string | null;
  readonly charged: boolean;
  readonly bytes: number;
  /** Its call runs without its caller, and is never run again. */
  readonly background: boolean;
  /** Its owner wants its background call to end. */
  readonly cancel: boolean;
  /** Of a background call; null once another process has declared its end. */
  readonly facts: string | null;
  readonly leaseUntil: Instant;
  readonly expiresAt: Instant;
}

export interface AnswerPart extends NamedCall {
  readonly firstEvent: number;
  readonly events: number;
  readonly body: string;
}

/** The end of a call: an answer that is kept or not, or a rejected request. */
export interface EndedAnswer extends NamedCall {
  readonly state: Exclude<AnswerState, 'running'>;
  readonly head: string;
  /** Null if the answer is not kept, or free. */
  readonly charge: string | null;
  /** Nothing is charged. */
  readonly free: boolean;
  readonly bytes: number;
  readonly expiresAt: Instant;
  /** Those that are not stored yet. */
  readonly parts: readonly AnswerPart[];
}

/** A request that was rejected before anything was charged. */
export function rejectedAnswer({ spaceId, callId }: NamedCall, head: string, now: Instant): EndedAnswer {
  return {
    spaceId,
    callId,
    state: 'rejected',
    head,
    charge: null,
    free: true,
    bytes: 0,
    expiresAt: now + ANSWER_KEPT_MS,
    parts: [],
  };
}

/**
 * What a request finds. `free`: it has expired, or its process died before anything was charged, so the call may run again.
 * `running`: also while the charge of its end is being written.
 */
export function standingOf(answer: StoredAnswer, now: Instant): AnswerState | 'free' {
  const { state, charge, charged, background, leaseUntil, expiresAt } = answer;
  const unfinished = !charged && (state === 'running' || state === 'not_kept');
  if (expiresAt <= now ? charge === null : unfinished && !background && leaseUntil <= now) return 'free';
  return state === 'running' || (!charged && leaseUntil > now) ? 'running' : state;
}

/** Its process died before its charge was written. */
export function isLapsed({ state, leaseUntil, charged }: StoredAnswer, now: Instant): boolean {
  return leaseUntil <= now && (state === 'running' || !charged);
}
