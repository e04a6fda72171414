/** How many batches are not charged yet. Their cost is known when they are settled. */
import { useQueries } from '@tanstack/react-query';
import { settlementStates } from '../../../../gateway/src/contract/administration/words.ts';
import { ask } from '../../api/ask-console.ts';
import { useSpace } from '../../app/session.ts';

const LISTED_MAX = 100;
const open = settlementStates.filter((state) => state !== 'settled');

/** Null until it is known. */
export function useUnsettled(): { count: number; hasMore: boolean } | null {
  const space = useSpace();
  const lists = useQueries({
    queries: open.map((settlement) => {
      const input = { space, settlement, limit: LISTED_MAX };
      return {
        queryKey: ['batches.list', input],
        queryFn: ({ signal }: { signal: AbortSignal }) => ask('batches.list', input, { signal }),
      };
    }),
  });
  const pages = lists.flatMap(({ data }) => (data === undefined ? [] : [data]));
  if (pages.length < open.length) return null;
  return {
    count: pages.reduce((sum, { data }) => sum + data.length, 0),
    hasMore: pages.some(({ next_cursor }) => next_cursor !== null),
  };
}
