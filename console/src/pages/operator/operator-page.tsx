/** The whole installation, for those who run it. The tab is in the address. */
import type { ReactNode } from 'react';
import { useSearchState } from '../../addresses/use-search.ts';
import { CsvButton } from '../../parts/csv-button.tsx';
import { NotAllowed } from '../../parts/not-allowed.tsx';
import { Page } from '../../parts/page.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { useSession } from '../../session/session.ts';
import { useTexts } from '../../text/say.ts';
import { auditInput } from '../../topics/audit-log/audit-filters.tsx';
import { AuditLog } from '../../topics/audit-log/audit-log.tsx';
import { AccessTab } from './access-tab.tsx';
import { ConfigTab } from './config-tab.tsx';
import { HealthTab } from './health-tab.tsx';
import { QuarantineTab } from './quarantine-tab.tsx';
import { SpacesTab } from './spaces-tab.tsx';
import { operatorTexts } from './texts.ts';

const tabs = ['health', 'quarantine', 'spaces', 'access', 'config', 'audit'] as const;

type Tab = (typeof tabs)[number];

const panels: Readonly<Record<Tab, () => ReactNode>> = {
  health: HealthTab,
  quarantine: QuarantineTab,
  spaces: SpacesTab,
  access: AccessTab,
  config: ConfigTab,
  audit: () => <AuditLog space={null} />,
};

export function OperatorView() {
  const t = useTexts(operatorTexts);
  const { person } = useSession();
  const [search, change] = useSearchState();
  if (!person.operator) return <NotAllowed title={t('title')} needs="operator" />;
  const tab = tabs.find((one) => one === search.tab) ?? 'health';
  const Panel = panels[tab];
  // Every tab has filters of its own.
  const none = Object.fromEntries(Object.keys(search).map((name) => [name, undefined]));
  return (
    <Page
      title={t('title')}
      intro={t('intro')}
      {...(tab === 'audit' && { actions: <CsvButton name="audit.all" input={auditInput(search)} /> })}
    >
      <Tabs
        id="operator"
        label={t('tabs')}
        current={tab}
        tabs={tabs.map((id) => ({ id, label: t(id) }))}
        onChoose={(chosen) => change({ ...none, tab: chosen === 'health' ? undefined : chosen })}
      />
      <div id="operator-panel" role="tabpanel" aria-labelledby={`operator-${tab}`}>
        <Panel />
      </div>
    </Page>
  );
}
