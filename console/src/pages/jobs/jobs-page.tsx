/** Video jobs, the files they made, and uploaded references. */
import { useId } from 'react';
import { useSearchState } from '../../addresses/use-search.ts';
import { Page } from '../../parts/page.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { useTexts } from '../../text/say.ts';
import { KeyBar } from '../../topics/gateway-key/key-bar.tsx';
import { useSessionKey } from '../../topics/gateway-key/use-session-key.ts';
import { JobDrawer } from './job-drawer.tsx';
import { JobTable } from './job-table.tsx';
import { MediaTab } from './media-tab.tsx';
import { ReferenceTab } from './reference-tab.tsx';
import { jobTexts } from './texts.ts';

const tabs = ['jobs', 'references', 'media'] as const;

export function JobsPage() {
  const t = useTexts(jobTexts);
  const id = useId();
  const [search, change] = useSearchState();
  const [key, setKey] = useSessionKey();
  const tab = tabs.find((one) => one === search.tab) ?? 'jobs';
  return (
    <Page title={t('title')} intro={t('intro')}>
      <KeyBar apiKey={key} purpose="jobs" create={t('createKey')} onKey={setKey} />
      <Tabs
        id={id}
        label={t('tabs')}
        tabs={tabs.map((one) => ({ id: one, label: t(one) }))}
        current={tab}
        onChoose={(chosen) => change({ tab: chosen })}
      />
      <div id={`${id}-panel`} role="tabpanel" aria-labelledby={`${id}-${tab}`} className="stack">
        {tab === 'jobs' && <JobTable />}
        {tab === 'references' && <ReferenceTab apiKey={key} />}
        {tab === 'media' && <MediaTab />}
      </div>
      {search.job !== undefined && (
        <JobDrawer id={search.job} apiKey={key} onClose={() => change({ job: undefined })} />
      )}
    </Page>
  );
}
