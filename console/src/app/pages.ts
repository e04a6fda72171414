/** What each address opens, and the pages of a space in the order of the side bar, grouped by what people do there. */
import { lazyRouteComponent as lazy, type RouteComponent } from '@tanstack/react-router';
import type { pageRoutes, SpacePageName } from '../addresses/routes.ts';
import type { appTexts } from './texts.ts';

type AppText = keyof (typeof appTexts)['catalogues']['en'];

/** Each page is loaded when it is opened. */
export const pageComponents: Readonly<Record<keyof typeof pageRoutes, RouteComponent>> = {
  signIn: lazy(() => import('../pages/sign-in/sign-in-page.tsx'), 'SignInPage'),
  openConnect: lazy(() => import('../pages/connect/connect-page.tsx'), 'OpenConnectPage'),
  device: lazy(() => import('../pages/sign-in/device-page.tsx'), 'DevicePage'),
  account: lazy(() => import('../pages/account/account-page.tsx'), 'AccountPage'),
  operator: lazy(() => import('../pages/operator/operator-page.tsx'), 'OperatorView'),
  home: lazy(() => import('../pages/home/home-page.tsx'), 'HomePage'),
  connect: lazy(() => import('../pages/connect/connect-page.tsx'), 'ConnectPage'),
  playground: lazy(() => import('../pages/playground/playground-page.tsx'), 'PlaygroundPage'),
  models: lazy(() => import('../pages/models/models-page.tsx'), 'ModelsPage'),
  batches: lazy(() => import('../pages/batches/batches-page.tsx'), 'BatchesPage'),
  jobs: lazy(() => import('../pages/jobs/jobs-page.tsx'), 'JobsPage'),
  requests: lazy(() => import('../pages/requests/requests-page.tsx'), 'RequestsPage'),
  usage: lazy(() => import('../pages/usage/usage-page.tsx'), 'UsagePage'),
  logs: lazy(() => import('../pages/logs/logs-page.tsx'), 'LogsPage'),
  runtimeLog: lazy(() => import('../pages/logs/runtime-page.tsx'), 'RuntimePage'),
  buildLog: lazy(() => import('../pages/logs/build-page.tsx'), 'BuildLogPage'),
  keys: lazy(() => import('../pages/keys/keys-page.tsx'), 'KeysPage'),
  members: lazy(() => import('../pages/members/members-page.tsx'), 'MembersPage'),
  budgets: lazy(() => import('../pages/budgets/budgets-page.tsx'), 'BudgetsPage'),
  balance: lazy(() => import('../pages/balance/balance-page.tsx'), 'BalancePage'),
  statement: lazy(() => import('../pages/balance/statement/statement-page.tsx'), 'StatementPage'),
  alerts: lazy(() => import('../pages/alerts/alerts-page.tsx'), 'AlertsPage'),
  audit: lazy(() => import('../pages/audit/audit-page.tsx'), 'AuditView'),
};

export interface PagePlace {
  /** The last part of its address, and the key of its name. */
  readonly path: SpacePageName & AppText;
  /** Only administrators of the space and operators see it. */
  readonly admin?: true;
}

export const pageGroups: ReadonlyArray<{
  readonly title: AppText | null;
  readonly pages: readonly PagePlace[];
}> = [
  { title: null, pages: [{ path: 'home' }] },
  {
    title: 'build',
    pages: [
      { path: 'connect' },
      { path: 'playground' },
      { path: 'models' },
      { path: 'batches' },
      { path: 'jobs' },
    ],
  },
  {
    title: 'observe',
    pages: [{ path: 'requests' }, { path: 'usage' }, { path: 'logs' }],
  },
  {
    title: 'manage',
    pages: [
      { path: 'keys' },
      { path: 'members', admin: true },
      { path: 'budgets' },
      { path: 'balance', admin: true },
      { path: 'alerts', admin: true },
      { path: 'audit', admin: true },
    ],
  },
];

/** The pages of the installation, which only operators see. */
export const operatorPages = [{ name: 'operator', to: '/operator' }] as const satisfies ReadonlyArray<{
  readonly name: AppText;
  readonly to: string;
}>;

export const spacePages: readonly PagePlace[] = pageGroups.flatMap(({ pages }) => pages);
