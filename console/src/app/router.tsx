/** Opens each page at its address. */
import type { QueryClient } from '@tanstack/react-query';
import { createRouter } from '@tanstack/react-router';
import { frameRoute, pageRoutes, rootRoute, routeTree, startRoute } from '../addresses/routes.ts';
import { parseSearch, printSearch } from '../addresses/search.ts';
import { sessionQuery } from '../session/session.ts';
import { NoSpaces, NotFound, PageBroken } from './page-states.tsx';
import { pageComponents } from './pages.ts';
import { Shell } from './shell.tsx';

export function makeRouter(queries: QueryClient) {
  rootRoute.update({ notFoundComponent: NotFound, errorComponent: PageBroken });
  frameRoute.update({ component: Shell });
  startRoute.update({ component: NoSpaces });
  const routes = new Map(Object.entries(pageRoutes));
  for (const [name, component] of Object.entries(pageComponents)) routes.get(name)?.update({ component });
  return createRouter({
    routeTree,
    basepath: '/console',
    context: { session: () => queries.ensureQueryData(sessionQuery) },
    defaultPreload: 'intent',
    scrollRestoration: true,
    parseSearch,
    stringifySearch: printSearch,
  });
}
