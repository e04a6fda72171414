import type { Search } from './use-search.ts';

/** The address of a page of a space for a link or a step. `page` is its last part, such as `requests`. */
export function spacePage(space: string, page: string, search: Search = {}) {
  // Pages are registered from a list, so the router's types know the address of no page but the first.
  return {
    to: `/spaces/$space/${page}` as '/spaces/$space/home',
    params: { space } as never,
    search: search as never,
  };
}
