/**
 * Sends a create request under a committed intent, and says what its answer means. Without an answer the intent stays,
 * and the next turn looks for what may exist (look-up.ts).
 */
import type { LeasedJob } from '../jobs/jobs.store.ts';
import { GracePeriod } from '../kernel/grace-period.ts';
import { Problem } from '../kernel/problem.ts';
import type { Instant } from '../kernel/time.ts';
import { NotSent } from '../providers/not-sent.ts';
import type { ProviderJobTools, RemoteJob, Turn } from './provider-job.ts';
import {
  clearIntent,
  type Intent,
  type ProviderJobTable,
  writeIntent,
  writeRemoteId,
  writeSending,
} from './provider-jobs.store.ts';

export interface CreateAttempt<Remote extends RemoteJob, Detail extends string> {
  readonly lease: LeasedJob;
  readonly table: ProviderJobTable<Detail>;
  readonly intent: Omit<Intent<Detail>, 'at'>;
  readonly expiresAt: Instant;
  /** Asks `mayAct` at the last moment at which nothing can have been created; false ends the request there. */
  create(mayAct: () => Promise<boolean>, signal: AbortSignal): Promise<Remote>;
  /** What an error answer of the provider says about the job. After a 5xx it may exist, so that is `unknown`. */
  meaningOf(problem: Problem): 'rejected' | 'not created' | 'unknown';
}

/** `notCreated` is the reason; `unwanted` when we stopped the request ourselves. */
export type CreateResult<Remote extends RemoteJob> =
  | { readonly remote: Remote }
  | { readonly rejected: Problem }
  | { readonly notCreated: unknown; readonly unwanted: boolean };

/** How long a stopping process waits for the answer to a create request. */
const DRAIN_MS = 10_000;
/** A confirmed lease is relied on only this long: later it may have passed to another process. */
const ACT_WITHIN_MS = 5_000;

/** Throws when the provider may or may not have created the job. */
export async function createOnce<Remote extends RemoteJob, Detail extends string>(
  attempt: CreateAttempt<Remote, Detail>,
  { signal, tools }: Turn<ProviderJobTools>,
): Promise<CreateResult<Remote>> {
  const { lease, table, intent } = attempt;
  const { db, clock } = tools;
  let unwanted = false;
  const mayAct = async (): Promise<boolean> => {
    unwanted = !(await confirm(attempt, { signal, tools }));
    return !unwanted;
  };
  await writeIntent(db, lease, { table, intent: { ...intent, at: clock.now() } });
  const grace = new GracePeriod(signal, { clock, waitMs: DRAIN_MS });
  try {
    const remote = await attempt.create(mayAct, grace.signal);
    await writeRemoteId(db, lease, { table, remoteId: remote.id });
    return { remote };
  } catch (error) {
    const failure = failureOf(error, attempt);
    if (failure === null) throw error;
    if ('notCreated' in failure) await clearIntent(db, lease, table);
    return 'rejected' in failure ? failure : { ...failure, unwanted };
  } finally {
    grace.end();
  }
}

/** Null when it is unknown whether the job exists. */
function failureOf(
  error: unknown,
  { meaningOf }: Pick<CreateAttempt<RemoteJob, string>, 'meaningOf'>,
): { readonly rejected: Problem } | { readonly notCreated: unknown } | null {
  if (error instanceof NotSent) return { notCreated: error.cause };
  if (!(error instanceof Problem)) return null;
  const meaning = meaningOf(error);
  if (meaning === 'unknown') return null;
  return meaning === 'rejected' ? { rejected: error } : { notCreated: error };
}

/** The fence: checks at the last moment that the lease is still ours and that nobody cancelled the job. */
async function confirm(
  { lease, table, expiresAt }: Pick<CreateAttempt<RemoteJob, string>, 'lease' | 'table' | 'expiresAt'>,
  { signal, tools }: Turn<ProviderJobTools>,
): Promise<boolean> {
  const { db, clock } = tools;
  const startedMs = clock.elapsedMs();
  const wanted = await writeSending(db, lease, { table, at: clock.now() });
  const inTime = clock.now() < expiresAt && clock.elapsedMs() - startedMs < ACT_WITHIN_MS;
  return wanted && inTime && !signal.aborted;
}
