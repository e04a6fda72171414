/** How many batches are not charged yet. Their cost is known when they are settled. */

import { useSpace } from '../../addresses/use-space.ts';
import { useRead } from '../../api/use-operation.ts';

const LISTED_MAX = 100;

export interface Unsettled {
  readonly count: number;
  readonly hasMore: boolean;
}

/** Undefined until it is known; null if it cannot be read. */
export function useUnsettled(): Unsettled | null | undefined {
  const { data: page, error } = useRead('batches.list', {
    space: useSpace(),
    settlement: 'unsettled',
    limit: LISTED_MAX,
  });
  if (page === undefined) return error === null ? undefined : null;
  return { count: page.data.length, hasMore: page.next_cursor !== null };
}
