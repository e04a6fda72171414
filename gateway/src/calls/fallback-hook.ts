/** What one run of a call knows of the other models that may answer it. */
import type { Usage } from '../pricing/usage.ts';
import { neutralFinish } from '../providers/neutral-finish.ts';
import type { AttemptLog } from './upstream-request.ts';

export interface FallbackHook {
  readonly log: AttemptLog;
  /** Whether another model answers what this one refuses. */
  readonly takesRefusals: boolean;
  /** The model has refused. True if another one has answered; if not, the refusal is the answer. */
  answerRefused(usage: Usage | null): Promise<boolean>;
}

/** The provider filtered the answer, and nothing of it is left. */
export function isRefusal(finishReason: string | null, texts: readonly string[]): boolean {
  return texts.length === 0 && neutralFinish(finishReason) === 'content_filter';
}
