/** The state of a page in its address: filters, tabs and what is open. All values are words. */
import { useSearch } from '@tanstack/react-router';
import { useGo } from './use-go.ts';

export type Search = Readonly<Record<string, string | undefined>>;

/** `change` keeps the other values. `replace` makes no step in the history, for what changes with every key. */
export function useSearchState(): [Search, (changes: Search, options?: { replace?: boolean }) => void] {
  const search = useSearch({ strict: false }) as Search;
  const navigate = useGo();
  const change = (changes: Search, { replace = false }: { replace?: boolean } = {}): void => {
    navigate({
      to: '.',
      search: ((before: Search) => ({ ...before, ...changes })) as never,
      replace,
      // It is the same page: what is on it must not move under the pointer.
      resetScroll: false,
    });
  };
  return [search, change];
}
