/** Builds what runs requests with an Idempotency-Key once, and what stores the answers of model calls. */
import { Once } from '../idempotency/once.ts';
import { StoredAnswers, type StoredAnswersOptions } from '../stored-answers/stored-answers.ts';
import type { Reports } from './reporting-parts.ts';

export interface OnceParts {
  /** For what creates something: files, batches, videos. */
  readonly once: Once;
  /** For model calls. */
  readonly answers: StoredAnswers;
}

export function createOnceParts(
  tools: Pick<StoredAnswersOptions, 'db' | 'clock' | 'recorder' | 'background'>,
  { log, metrics }: Reports,
): OnceParts {
  const answers = new StoredAnswers({
    ...tools,
    onRepeat: (how) => metrics.callRepeated(how),
    onSweepFailed: (error) => log.warn('expired answers could not be removed', { error }),
    onRecoveryFailed: (error) =>
      log.warn('the end of a lost background response could not be stored', { error }),
  });
  return { once: new Once(tools), answers };
}
