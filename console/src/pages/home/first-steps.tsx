/** What is left to do until the first call works. It disappears then, and never comes back. */
import type { ReactNode } from 'react';
import { SpaceLink } from '../../addresses/space-link.tsx';
import { useRead } from '../../api/use-operation.ts';
import { Card } from '../../parts/page.tsx';
import { useTexts } from '../../text/say.ts';
import style from './home.module.css';
import type { Overview } from './overview.ts';
import { homeTexts } from './texts.ts';

const REFRESH_MS = 3_000;
const KEYS_READ = 20;

export function FirstSteps({ overview }: { overview: Overview }) {
  const t = useTexts(homeTexts);
  const space = overview.space.name;
  const enabled = overview.month.requests === 0;
  const options = { enabled, every: REFRESH_MS };
  const calls = useRead('requests.list', { space, status: 'completed', limit: 1 }, options);
  const keys = useRead('keys.list', { space, state: 'active', limit: KEYS_READ }, options);
  if (!enabled || calls.data === undefined || keys.data === undefined) return null;
  // A page may be short although there are more requests.
  if (calls.data.data.length > 0 || calls.data.next_cursor !== null) return null;
  const hasKey = keys.data.data.some(({ kind }) => kind !== 'management');
  const hasTried = overview.last_errors.length > 0;
  return (
    <Card title={t('firstSteps')}>
      <ol className={style.steps}>
        <Step done={hasKey} title={t('stepKey')}>
          <SpaceLink page="keys">{t('stepKeyDo')}</SpaceLink>
        </Step>
        <Step done={hasTried} title={t('stepConnect')}>
          <SpaceLink page="connect">{t('stepConnectDo')}</SpaceLink>
        </Step>
        <Step done={false} title={t('stepCall')}>
          {t(hasTried ? 'stepCallFailed' : 'stepCallWaits')}
        </Step>
      </ol>
    </Card>
  );
}

function Step({ done, title, children }: { done: boolean; title: string; children: ReactNode }) {
  const t = useTexts(homeTexts);
  return (
    <li data-done={done}>
      <span className={style.mark} aria-hidden="true">
        {done ? '✓' : ''}
      </span>
      <span>
        {title}
        <span className="heard"> ({t(done ? 'done' : 'open')})</span>
        {!done && <span className={style.what}>{children}</span>}
      </span>
    </li>
  );
}
