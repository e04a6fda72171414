/** What is known about one request. */
import type { ResultOf } from '../../../../gateway/src/contract/administration/admin-endpoints.ts';
import { problemCodes } from '../../../../gateway/src/kernel/problem-codes.ts';
import type { ShownStatus } from './request-status.tsx';

export type Explained = ResultOf<'requests.get'>;

/** A video job has states of its own. */
export function statusOf({ call }: Explained): ShownStatus {
  const outcome = call?.outcome ?? 'rejected';
  if (outcome === 'rejected' || outcome === 'partial' || outcome === 'completed') return outcome;
  return outcome === 'succeeded' ? 'completed' : 'failed';
}

/** Why it failed, in words; null if it did not. The sentence that was answered is kept for some time only. */
export function sentenceOf({ refusal, call }: Explained): string | null {
  const code = call?.problem ?? null;
  return refusal?.detail ?? (code === null ? null : meaningOf(code));
}

function meaningOf(code: string): string {
  return (
    (problemCodes as Readonly<Record<string, { readonly text: string } | undefined>>)[code]?.text ?? code
  );
}
