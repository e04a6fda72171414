/** Opens each page at its address. */
import type { QueryClient } from '@tanstack/react-query';
import { createRouter, Link } from '@tanstack/react-router';
import { frameRoute, pageRoutes, rootRoute, routeTree, startRoute } from '../addresses/routes.ts';
import { parseSearch, printSearch } from '../addresses/search.ts';
import { asFailure } from '../api/failure.ts';
import { Empty } from '../parts/empty.tsx';
import { FailureNote } from '../parts/failure-note.tsx';
import { Page } from '../parts/page.tsx';
import { sessionQuery } from '../session/session.ts';
import { useTexts } from '../text/say.ts';
import { pageComponents } from './pages.ts';
import { Shell } from './shell.tsx';
import { appTexts } from './texts.ts';

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

function NotFound() {
  const t = useTexts(appTexts);
  return (
    <Page title={t('notFound')} intro={t('notFoundText')}>
      <p>
        <Link to="/">{t('toStart')}</Link>
      </p>
    </Page>
  );
}

function PageBroken({ error }: { error: unknown }) {
  const t = useTexts(appTexts);
  return (
    <Page title={t('broken')}>
      <FailureNote failure={asFailure(error)} />
      <p>
        <button type="button" onClick={() => location.reload()}>
          {t('reload')}
        </button>
      </p>
    </Page>
  );
}

function NoSpaces() {
  const t = useTexts(appTexts);
  return (
    <Page title={t('noSpaces')}>
      <Empty title={t('noSpaces')} text={t('noSpacesText')} />
    </Page>
  );
}
