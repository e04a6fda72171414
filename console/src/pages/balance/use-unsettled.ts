/** How many batches are not charged yet. Their cost is known when they are settled. */
import { useRead } from '../../api/use-operation.ts';
import { useSpace } from '../../app/session.ts';

const LISTED_MAX = 100;

/** Null until it is known. */
export function useUnsettled(): { count: number; hasMore: boolean } | null {
  const { data: page } = useRead('batches.list', {
    space: useSpace(),
    settlement: 'unsettled',
    limit: LISTED_MAX,
  });
  return page === undefined ? null : { count: page.data.length, hasMore: page.next_cursor !== null };
}
