/** What is known about one request. */
import type { ResultOf } from '../../../../gateway/src/contract/administration/admin-endpoints.ts';
import type { ShownStatus } from './request-status.tsx';

export type Explained = ResultOf<'requests.get'>;

/** A video job has states of its own. */
export function statusOf({ call }: Explained): ShownStatus {
  const outcome = call?.outcome ?? 'rejected';
  if (outcome === 'rejected' || outcome === 'partial' || outcome === 'completed') return outcome;
  return outcome === 'succeeded' ? 'completed' : 'failed';
}
