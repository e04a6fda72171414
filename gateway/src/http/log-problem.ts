/** The log line of a request that was answered with an error: who sent it, and which provider failed it. */
import type { Principal } from '../access/principal.ts';
import type { Problem } from '../kernel/problem.ts';
import type { Log } from '../telemetry/log.ts';
import { type RequestTrace, traceFields } from '../telemetry/trace.ts';

export interface FailedRequest {
  readonly id: string;
  readonly endpoint: string;
  /** Null if it had no valid key. */
  readonly principal: Principal | null;
  readonly trace: RequestTrace | null;
}

/** One line. What the provider said is kept for `tollgate why`, because it may repeat what the caller sent. */
export function logProblem(log: Log, problem: Problem, failed: FailedRequest): void {
  const { id, endpoint, principal, trace } = failed;
  const { code, status, detail, upstream, cause } = problem;
  const { provider_said: _, ...route } = upstream ?? {};
  const fields = {
    error_ref: id,
    request_id: id,
    ...traceFields(trace),
    code,
    status,
    detail,
    endpoint,
    ...(principal !== null && { space_id: principal.spaceId, key_id: principal.keyId }),
    ...route,
    // Why the token of a workload was refused. The answer to the caller does not say it.
    ...(code === 'invalid_credentials' && cause instanceof Error && { reason: cause.message }),
  };
  if (code === 'internal_error') log.error('a request broke', { ...fields, error: cause });
  else if (status >= 500) log.warn('a request failed', { ...fields, error: cause });
  else log.info('a request was refused', fields);
}
