/** The state of a space at a glance: whether it can spend, what it used this month, and what failed. */

import { useSpace } from '../../addresses/use-space.ts';
import { useRead } from '../../api/use-operation.ts';
import { Page } from '../../parts/page.tsx';
import { ReadNote } from '../../parts/read-note.tsx';
import { useTexts } from '../../text/say.ts';
import { AccountState } from './account-state.tsx';
import { FirstSteps } from './first-steps.tsx';
import { LastErrors } from './last-errors.tsx';
import { MonthCard } from './month-card.tsx';
import { OVERVIEW_REFRESH_MS } from './overview.ts';
import { homeTexts } from './texts.ts';

export function HomePage() {
  const t = useTexts(homeTexts);
  const space = useSpace();
  const read = useRead('spaces.overview', { space }, { every: OVERVIEW_REFRESH_MS });
  const { data } = read;
  // What was read of another space is not shown for this one.
  const overview = data?.space.name === space || data?.space.id === space ? data : null;
  return (
    <Page title={t('title')} intro={t('intro', { space })}>
      <ReadNote read={read} waits={overview === null} />
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
