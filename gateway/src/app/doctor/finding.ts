/** What a check of the installation found, and how a check is bounded. */
import type { Clock } from '../../kernel/time.ts';
import { reasonOf } from './failure-reason.ts';

export interface Finding {
  /** Such as `provider openai`. */
  readonly check: string;
  readonly status: 'ok' | 'warning' | 'error';
  readonly detail: string;
  /** What to do; null if it is ok. */
  readonly next: string | null;
}

export type CheckResult = Omit<Finding, 'check'>;

/** Every check ends by then. */
export const CHECK_MS_MAX = 5_000;

export function fine(detail: string): CheckResult {
  return { status: 'ok', detail, next: null };
}

export function warning(detail: string, next: string): CheckResult {
  return { status: 'warning', detail, next };
}

export function failure(detail: string, next: string): CheckResult {
  return { status: 'error', detail, next };
}

/** Runs a check. What it throws, and no answer in time, is an error with `next`. */
export async function bounded(
  check: string,
  { clock, next }: { clock: Clock; next: string },
  work: (signal: AbortSignal) => Promise<readonly CheckResult[] | CheckResult>,
): Promise<Finding[]> {
  const ended = new AbortController();
  const late = Promise.withResolvers<CheckResult>();
  const stopWaiting = clock.after(CHECK_MS_MAX, () => {
    late.resolve(failure(`no answer within ${CHECK_MS_MAX / 1_000} s`, next));
    ended.abort();
  });
  try {
    const found = await Promise.race([work(ended.signal), late.promise]);
    return [found].flat().map((one) => ({ check, ...one }));
  } catch (error) {
    return [{ check, ...failure(reasonOf(error), next) }];
  } finally {
    stopWaiting();
    ended.abort();
  }
}
