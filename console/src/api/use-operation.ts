/** Operations of administration in components: reads are cached, lists are read page by page, changes refresh reads. */
import {
  keepPreviousData,
  type UseMutationResult,
  type UseQueryResult,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import type {
  InputOf,
  OperationName,
  ResultOf,
} from '../../../gateway/src/contract/administration/admin-endpoints.ts';
import { ask } from './ask-console.ts';

/** `every`: how often it is read again, in milliseconds. `enabled: false` waits. */
export function useRead<Name extends OperationName>(
  name: Name,
  input: InputOf<Name>,
  { every, enabled = true }: { every?: number | undefined; enabled?: boolean } = {},
): UseQueryResult<ResultOf<Name>> {
  return useQuery({
    queryKey: [name, input],
    queryFn: ({ signal }) => ask(name, input, { signal }),
    placeholderData: keepPreviousData,
    enabled,
    ...(every !== undefined && { refetchInterval: every }),
  }) as UseQueryResult<ResultOf<Name>>;
}

export type ItemOf<Name extends OperationName> =
  ResultOf<Name> extends { data: ReadonlyArray<infer Item> } ? Item : never;

export interface ListRead<Item> {
  readonly rows: readonly Item[];
  /** Nothing has arrived yet. */
  readonly waits: boolean;
  readonly error: unknown;
  readonly hasMore: boolean;
  readonly loadsMore: boolean;
  loadMore(): void;
  reload(): void;
}

/** A list, of which more is loaded on demand. */
export function useList<Name extends OperationName>(
  name: Name,
  input: InputOf<Name>,
  { every, enabled = true }: { every?: number | undefined; enabled?: boolean } = {},
): ListRead<ItemOf<Name>> {
  const query = useInfiniteQuery({
    queryKey: [name, 'pages', input],
    queryFn: async ({ signal, pageParam }) => {
      const page = { ...input, ...(pageParam !== null && { cursor: pageParam }) };
      return (await ask(name, page, { signal })) as { data: ItemOf<Name>[]; next_cursor: string | null };
    },
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next_cursor,
    placeholderData: keepPreviousData,
    enabled,
    ...(every !== undefined && { refetchInterval: every }),
  });
  return {
    rows: query.data?.pages.flatMap(({ data }) => data) ?? [],
    waits: query.isPending && enabled,
    error: query.error,
    hasMore: query.hasNextPage,
    loadsMore: query.isFetchingNextPage,
    loadMore: () => void query.fetchNextPage(),
    reload: () => void query.refetch(),
  };
}

/**
 * A change. Everything that was read is read again afterwards: a change shows in more places than one, such as the audit
 * log. If it is sent again because the answer was lost, the server carries it out once.
 */
export function useChange<Name extends OperationName>(
  name: Name,
): UseMutationResult<ResultOf<Name>, Error, InputOf<Name>> {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (input: InputOf<Name>) => sendChange(name, input),
    onSuccess: () => client.invalidateQueries(),
  });
}

/** The same for an operation that is known only when it is sent. */
export function useAnyChange(): <Name extends OperationName>(
  name: Name,
  input: InputOf<Name>,
) => Promise<ResultOf<Name>> {
  const client = useQueryClient();
  return async (name, input) => {
    const result = await sendChange(name, input);
    await client.invalidateQueries();
    return result;
  };
}

async function sendChange<Name extends OperationName>(
  name: Name,
  input: InputOf<Name>,
): Promise<ResultOf<Name>> {
  const repeatKey = crypto.randomUUID();
  const send = () => ask(name, input, { repeatKey });
  return await send().catch((error: unknown) => {
    if (!(error instanceof TypeError)) throw error;
    return send();
  });
}
