/** What is shown in place of a page: none found, one that broke, nothing to go to. */
import { Link } from '@tanstack/react-router';
import { asFailure } from '../api/failure.ts';
import { Empty } from '../parts/empty.tsx';
import { FailureNote } from '../parts/failure-note.tsx';
import { Page } from '../parts/page.tsx';
import { useTexts } from '../text/say.ts';
import { appTexts } from './texts.ts';

export function NotFound() {
  const t = useTexts(appTexts);
  return (
    <Page title={t('notFound')} intro={t('notFoundText')}>
      <p>
        <Link to="/">{t('toStart')}</Link>
      </p>
    </Page>
  );
}

export function PageBroken({ error }: { error: unknown }) {
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

export function NoSpaces() {
  const t = useTexts(appTexts);
  return (
    <Page title={t('noSpaces')}>
      <Empty title={t('noSpaces')} text={t('noSpacesText')} />
    </Page>
  );
}
