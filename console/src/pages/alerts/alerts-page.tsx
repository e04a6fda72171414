/** Where alerts of the space are sent, when it is warned, and what was sent. */
import { useState } from 'react';
import { useSearchState } from '../../addresses/use-search.ts';
import { NotAllowed } from '../../parts/not-allowed.tsx';
import { Page } from '../../parts/page.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { useRole } from '../../session/session.ts';
import { useTexts } from '../../text/say.ts';
import { AddTargetDialog } from './add-target-dialog.tsx';
import { DeliveryList } from './delivery-list.tsx';
import { TargetList } from './target-list.tsx';
import { alertsTexts } from './texts.ts';
import { ThresholdForm } from './threshold-form.tsx';

export function AlertsPage() {
  const t = useTexts(alertsTexts);
  const { isAdmin } = useRole();
  if (!isAdmin) return <NotAllowed title={t('title')} needs="admin" />;
  return <AdminAlertsPage />;
}

const tabs = ['targets', 'thresholds', 'deliveries'] as const;

function AdminAlertsPage() {
  const t = useTexts(alertsTexts);
  const [search, change] = useSearchState();
  const [adds, setAdds] = useState(false);
  const tab = tabs.find((one) => one === search.tab) ?? 'targets';
  return (
    <Page
      title={t('title')}
      intro={t('intro')}
      actions={
        <button type="button" className="main" onClick={() => setAdds(true)}>
          {t('add')}
        </button>
      }
    >
      <Tabs
        id="alerts"
        label={t('tabs')}
        current={tab}
        tabs={tabs.map((id) => ({ id, label: t(id) }))}
        onChoose={(chosen) => change({ tab: chosen === 'targets' ? undefined : chosen })}
      />
      <div id="alerts-panel" role="tabpanel" aria-labelledby={`alerts-${tab}`}>
        {tab === 'targets' && <TargetList />}
        {tab === 'thresholds' && <ThresholdForm />}
        {tab === 'deliveries' && <DeliveryList />}
      </div>
      {adds && <AddTargetDialog onClose={() => setAdds(false)} />}
    </Page>
  );
}
