import { useSearch } from '@tanstack/react-router';
import type { Search } from './search.ts';
import { useGo } from './use-go.ts';

/** `change` keeps the other values. `replace` makes no step in the history, for what changes with every key. */
export function useSearchState(): [Search, (changes: Search, options?: { replace?: boolean }) => void] {
  const search = useSearch({ strict: false });
  const navigate = useGo();
  const change = (changes: Search, { replace = false }: { replace?: boolean } = {}): void => {
    navigate({
      to: '.',
      search: (before) => ({ ...before, ...changes }),
      replace,
      // It is the same page: what is on it must not move under the pointer.
      resetScroll: false,
    });
  };
  return [search, change];
}
