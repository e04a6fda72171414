/** The state of a space at a glance: whether it can spend, what it used this month, and what failed. */

import { useSpace } from '../../addresses/use-space.ts';
import { useRead } from '../../api/use-operation.ts';
import { ThrownNote } from '../../parts/failure-note.tsx';
import { Page } from '../../parts/page.tsx';
import { partsTexts } from '../../parts/texts.ts';
import { useTexts } from '../../text/define-texts.ts';
import { AccountState } from './account-state.tsx';
import { FirstSteps } from './first-steps.tsx';
import { LastErrors } from './last-errors.tsx';
import { MonthCard } from './month-card.tsx';
import { OVERVIEW_REFRESH_MS } from './overview.ts';
import { homeTexts } from './texts.ts';

export function HomePage() {
  const t = useTexts(homeTexts);
  const p = useTexts(partsTexts);
  const space = useSpace();
  const { data, error, refetch } = useRead('spaces.overview', { space }, { every: OVERVIEW_REFRESH_MS });
  // What was read of another space is not shown for this one.
  const overview = data?.space.name === space || data?.space.id === space ? data : null;
  return (
    <Page title={t('title')} intro={t('intro', { space })}>
      {overview === null && error === null && <p role="status">{p('loading')}</p>}
      <ThrownNote error={error} onRetry={() => void refetch()} />
      {overview !== null && (
        <>
          <AccountState space={overview.space} />
          <FirstSteps overview={overview} />
          <MonthCard overview={overview} />
          <LastErrors errors={overview.last_errors} />
        </>
      )}
    </Page>
  );
}
