import type { SpacePageName } from './routes.ts';
import type { Search } from './search.ts';

/** The address of a page of a space, for a link or a step. */
export function spacePage(space: string, page: SpacePageName, search: Search = {}) {
  return { to: `/spaces/$space/${page}`, params: { space }, search } as const;
}
