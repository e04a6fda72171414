/** The addresses of the console. Each page is loaded when it is opened. */
import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
import { NoSpaces, NotFound, PageBroken } from './page-states.tsx';
import { sessionQuery } from './session.ts';
import { Root, Shell } from './shell.tsx';

interface Context {
  readonly queries: QueryClient;
}

/** The space that was looked at last. */
const SPACE_KEPT = 'tollgate.space';

const root = createRootRouteWithContext<Context>()({
  component: Root,
  notFoundComponent: NotFound,
  errorComponent: PageBroken,
});

const signIn = createRoute({
  getParentRoute: () => root,
  path: 'sign-in',
  component: lazyRouteComponent(() => import('../sign-in/sign-in-page.tsx'), 'SignInPage'),
});

/** For people who have a key and no account. */
const openConnect = createRoute({
  getParentRoute: () => root,
  path: 'connect',
  component: lazyRouteComponent(() => import('../pages/connect/connect-page.tsx'), 'OpenConnectPage'),
});

/** Only for those who are signed in; the others come back to the same address afterwards. */
const requireSession = async ({
  context,
  location,
}: {
  context: Context;
  location: { pathname: string; searchStr: string };
}): Promise<void> => {
  const session = await context.queries.ensureQueryData(sessionQuery);
  if (session !== null) return;
  const returnTo = `/console${location.pathname}${location.searchStr}`;
  throw redirect({ to: '/sign-in', search: { return_to: returnTo } as never });
};

/** Without the side bar: the person came for one decision. */
const device = createRoute({
  getParentRoute: () => root,
  path: 'device',
  component: lazyRouteComponent(() => import('../sign-in/device-page.tsx'), 'DevicePage'),
  beforeLoad: requireSession,
});

const inside = createRoute({
  getParentRoute: () => root,
  id: 'inside',
  component: Shell,
  beforeLoad: requireSession,
});

const start = createRoute({
  getParentRoute: () => inside,
  path: '/',
  component: NoSpaces,
  beforeLoad: async ({ context }) => {
    const session = await context.queries.ensureQueryData(sessionQuery);
    const names = session?.spaces.map(({ name }) => name) ?? [];
    const kept = localStorage.getItem(SPACE_KEPT);
    const space = names.find((name) => name === kept) ?? names[0];
    if (space !== undefined) throw redirect({ to: '/spaces/$space/home', params: { space } as never });
    if (session?.person.operator) throw redirect({ to: '/operator' });
  },
});

const account = createRoute({
  getParentRoute: () => inside,
  path: 'account',
  component: lazyRouteComponent(() => import('../pages/account/account-page.tsx'), 'AccountPage'),
});

const operator = createRoute({
  getParentRoute: () => inside,
  path: 'operator',
  component: lazyRouteComponent(() => import('../pages/operator/operator-page.tsx'), 'OperatorView'),
});

const space = createRoute({
  getParentRoute: () => inside,
  path: 'spaces/$space',
  beforeLoad: ({ params }) => localStorage.setItem(SPACE_KEPT, params.space),
});

const page = <Path extends string>(path: Path, component: ReturnType<typeof lazyRouteComponent>) =>
  createRoute({ getParentRoute: () => space, path, component });

const spaceRoutes = [
  page(
    'home',
    lazyRouteComponent(() => import('../pages/home/home-page.tsx'), 'HomePage'),
  ),
  page(
    'connect',
    lazyRouteComponent(() => import('../pages/connect/connect-page.tsx'), 'ConnectPage'),
  ),
  page(
    'playground',
    lazyRouteComponent(() => import('../pages/playground/playground-page.tsx'), 'PlaygroundPage'),
  ),
  page(
    'requests',
    lazyRouteComponent(() => import('../pages/requests/requests-page.tsx'), 'RequestsPage'),
  ),
  page(
    'usage',
    lazyRouteComponent(() => import('../pages/usage/usage-page.tsx'), 'UsagePage'),
  ),
  page(
    'balance',
    lazyRouteComponent(() => import('../pages/balance/balance-page.tsx'), 'BalancePage'),
  ),
  page(
    'statement',
    lazyRouteComponent(() => import('../pages/statement/statement-page.tsx'), 'StatementPage'),
  ),
  page(
    'keys',
    lazyRouteComponent(() => import('../pages/keys/keys-page.tsx'), 'KeysPage'),
  ),
  page(
    'members',
    lazyRouteComponent(() => import('../pages/members/members-page.tsx'), 'MembersPage'),
  ),
  page(
    'models',
    lazyRouteComponent(() => import('../pages/models/models-page.tsx'), 'ModelsPage'),
  ),
  page(
    'batches',
    lazyRouteComponent(() => import('../pages/batches/batches-page.tsx'), 'BatchesPage'),
  ),
  page(
    'jobs',
    lazyRouteComponent(() => import('../pages/jobs/jobs-page.tsx'), 'JobsPage'),
  ),
  page(
    'logs',
    lazyRouteComponent(() => import('../pages/logs/logs-page.tsx'), 'LogsPage'),
  ),
  page(
    'logs/$project',
    lazyRouteComponent(() => import('../pages/logs/runtime-page.tsx'), 'RuntimePage'),
  ),
  page(
    'logs/$project/builds/$build',
    lazyRouteComponent(() => import('../pages/logs/build-page.tsx'), 'BuildLogPage'),
  ),
  page(
    'audit',
    lazyRouteComponent(() => import('../pages/audit/audit-page.tsx'), 'AuditView'),
  ),
];

const routeTree = root.addChildren([
  signIn,
  device,
  openConnect,
  inside.addChildren([start, account, operator, space.addChildren(spaceRoutes)]),
]);

export function makeRouter(queries: QueryClient) {
  return createRouter({
    routeTree,
    basepath: '/console',
    context: { queries },
    defaultPreload: 'intent',
    scrollRestoration: true,
    // Values of the address are words: a model may be called 1.
    parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
    stringifySearch: (search) => {
      const given = Object.entries(search).filter(([, value]) => value !== undefined && value !== '');
      const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
      return text === '' ? '' : `?${text}`;
    },
  });
}
