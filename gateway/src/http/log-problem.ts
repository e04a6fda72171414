/** The log line of a request that was answered with an error. */
import type { Problem } from '../kernel/problem.ts';
import type { Log } from '../telemetry/log.ts';
import { type RequestTrace, traceFields } from '../telemetry/trace.ts';

export interface FailedRequest {
  readonly id: string;
  readonly trace: RequestTrace | null;
}

export function logProblem(log: Log, problem: Problem, { id, trace }: FailedRequest): void {
  const { code, status, detail, cause } = problem;
  const fields = { error_ref: id, request_id: id, ...traceFields(trace), code, status, detail };
  if (code === 'internal_error') log.error('a request broke', { ...fields, error: cause });
  else if (status >= 500) log.warn('a request failed', { ...fields, error: cause });
  else log.info('a request was refused', fields);
}
