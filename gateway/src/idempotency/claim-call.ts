/** Claims the key of a call: one that is new, or one whose call has expired or was lost with its process. */
import type { Database } from '../database/database.ts';
import { DAY_MS } from '../kernel/durations.ts';
import type { Instant } from '../kernel/time.ts';
import {
  claimCall,
  isCharged,
  type RepeatableRow,
  type RepeatableScope,
  removeLapsed,
} from './repeatable-calls.store.ts';

/** How long an answer is kept. */
export const ANSWER_KEPT_MS = DAY_MS;
/** After a crash a repeat runs the call again after this time. Several slow renewals fit into it. */
export const CALL_LEASE_MS = 6_000;

export interface ClaimRequest {
  readonly scope: RepeatableScope;
  readonly digest: string;
  readonly callId: string;
  readonly streamed: boolean;
}

/** False when the key has a row. */
export async function claimFor(db: Database, request: ClaimRequest, now: Instant): Promise<boolean> {
  return await claimCall(db, request.scope, { ...request, ...times(now) });
}

/** Whether the row has expired, or its process died before anything was charged. */
export async function isFree(
  db: Database,
  { spaceId }: RepeatableScope,
  row: RepeatableRow,
  now: Instant,
): Promise<boolean> {
  const { callId, state, charged } = row;
  if (row.expiresAt <= now) return row.charge === null;
  // A background call is never run again.
  if (row.leaseUntil > now || charged || row.background) return false;
  if (state === 'running') return true;
  return state === 'not_kept' && !(await isCharged(db, { spaceId, callId }));
}

/** False if another request was faster. */
export async function takeOver(
  db: Database,
  request: ClaimRequest,
  { lapsed, now }: { lapsed: string; now: Instant },
): Promise<boolean> {
  return await db.transaction(async (tx) => {
    await removeLapsed(tx, request.scope, { callId: lapsed, now });
    return await claimCall(tx, request.scope, { ...request, ...times(now) });
  });
}

function times(now: Instant): { now: Instant; leaseUntil: Instant; expiresAt: Instant } {
  return { now, leaseUntil: now + CALL_LEASE_MS, expiresAt: now + ANSWER_KEPT_MS };
}
