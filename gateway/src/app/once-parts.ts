/** Builds what runs requests with an Idempotency-Key once. */
import { Once } from '../idempotency/once.ts';
import { RepeatableCalls, type RepeatableCallsOptions } from '../idempotency/repeatable-calls.ts';
import type { Reports } from './reporting-parts.ts';

export interface OnceParts {
  /** For what creates something: files, batches, videos. */
  readonly once: Once;
  /** For model calls. */
  readonly repeatable: RepeatableCalls;
}

export function createOnceParts(
  tools: Pick<RepeatableCallsOptions, 'db' | 'clock' | 'recorder' | 'background'>,
  { log, metrics }: Reports,
): OnceParts {
  const repeatable = new RepeatableCalls({
    ...tools,
    onRepeat: (how) => metrics.callRepeated(how),
    onSweepFailed: (error) => log.warn('expired answers could not be removed', { error }),
  });
  return { once: new Once(tools), repeatable };
}
