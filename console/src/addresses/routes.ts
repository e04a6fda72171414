/**
 * Every address of the console with its parameters. A link to an address that is not here, or without one of its
 * parameters, does not compile. `app/pages.ts` says which page each one opens.
 */
import { createRootRouteWithContext, createRoute, type Router, redirect } from '@tanstack/react-router';
import type { ConsoleSession } from '../../../gateway/src/contract/console.ts';
import { readSearch } from './search.ts';

export interface RouteContext {
  /** Null if nobody is signed in. */
  session(): Promise<ConsoleSession | null>;
}

/** The space that was looked at last. */
export const SPACE_KEPT = 'tollgate.space';

export const rootRoute = createRootRouteWithContext<RouteContext>()({ validateSearch: readSearch });

const signIn = createRoute({ getParentRoute: () => rootRoute, path: 'sign-in' });

/** For people who have a key and no account. */
const openConnect = createRoute({ getParentRoute: () => rootRoute, path: 'connect' });

/** Only for those who are signed in; the others come back to the same address afterwards. */
async function requireSession(options: {
  context: RouteContext;
  location: { pathname: string; searchStr: string };
}): Promise<void> {
  const { context, location } = options;
  if ((await context.session()) !== null) return;
  const returnTo = `/console${location.pathname}${location.searchStr}`;
  throw redirect({ to: '/sign-in', search: { return_to: returnTo } });
}

/** Without the side bar: the person came for one decision. */
const device = createRoute({
  getParentRoute: () => rootRoute,
  path: 'device',
  beforeLoad: requireSession,
});

/** In the frame with the side bar. */
export const frameRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'frame',
  beforeLoad: requireSession,
});

/** Leads to a space; shows itself to those who are in none. */
export const startRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/',
  beforeLoad: async ({ context }): Promise<void> => {
    const session = await context.session();
    const names = session?.spaces.map(({ name }) => name) ?? [];
    const kept = localStorage.getItem(SPACE_KEPT);
    const space = names.find((name) => name === kept) ?? names[0];
    if (space !== undefined) throw redirect({ to: '/spaces/$space/home', params: { space } });
    if (session?.person.operator) throw redirect({ to: '/operator' });
  },
});

const account = createRoute({ getParentRoute: () => frameRoute, path: 'account' });

/** The pages of the installation. One more is at `operator/` and a word of small letters. */
const operatorRoutes = {
  operator: createRoute({ getParentRoute: () => frameRoute, path: 'operator' }),
};

const space = createRoute({
  getParentRoute: () => frameRoute,
  path: 'spaces/$space',
  beforeLoad: ({ params }) => localStorage.setItem(SPACE_KEPT, params.space),
});

function inSpace<const Path extends string>(path: Path) {
  return createRoute({ getParentRoute: () => space, path });
}

/** The pages of a space, each under the last part of its address. */
const spaceRoutes = {
  home: inSpace('home'),
  connect: inSpace('connect'),
  playground: inSpace('playground'),
  models: inSpace('models'),
  batches: inSpace('batches'),
  jobs: inSpace('jobs'),
  requests: inSpace('requests'),
  usage: inSpace('usage'),
  logs: inSpace('logs'),
  keys: inSpace('keys'),
  members: inSpace('members'),
  budgets: inSpace('budgets'),
  balance: inSpace('balance'),
  statement: inSpace('statement'),
  alerts: inSpace('alerts'),
  audit: inSpace('audit'),
};

export type SpacePageName = keyof typeof spaceRoutes;

export function isSpacePage(word: string): word is SpacePageName {
  return Object.hasOwn(spaceRoutes, word);
}

const logRoutes = {
  runtimeLog: inSpace('logs/$project'),
  buildLog: inSpace('logs/$project/builds/$build'),
};

/** All that open a page. */
export const pageRoutes = {
  signIn,
  openConnect,
  device,
  account,
  ...operatorRoutes,
  ...spaceRoutes,
  ...logRoutes,
};

export const routeTree = rootRoute.addChildren([
  signIn,
  openConnect,
  device,
  frameRoute.addChildren({
    startRoute,
    account,
    ...operatorRoutes,
    space: space.addChildren({ ...spaceRoutes, ...logRoutes }),
  }),
]);

declare module '@tanstack/react-router' {
  interface Register {
    router: Router<typeof routeTree>;
  }
}
