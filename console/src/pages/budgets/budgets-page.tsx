/** What parts of the space may cost, and requests for more. Members see their own requests, and ask here. */
import { useState } from 'react';
import { useSearchState } from '../../addresses/use-search.ts';
import { Page } from '../../parts/page.tsx';
import { useRole } from '../../session/session.ts';
import { useTexts } from '../../text/say.ts';
import { AddBudgetDialog } from './add-budget-dialog.tsx';
import { AskDialog } from './ask-dialog.tsx';
import { BudgetTable } from './budget-table.tsx';
import { PendingRequests } from './pending-requests.tsx';
import { RequestHistory } from './request-history.tsx';
import { budgetsTexts } from './texts.ts';

export function BudgetsPage() {
  const t = useTexts(budgetsTexts);
  const { isAdmin } = useRole();
  const [{ ask, value }, change] = useSearchState();
  const [adds, setAdds] = useState(false);
  const button = (
    <button type="button" className="main" onClick={() => setAdds(true)}>
      {t('add')}
    </button>
  );
  return (
    <Page title={t('title')} intro={t(isAdmin ? 'intro' : 'introOwn')} {...(isAdmin && { actions: button })}>
      {isAdmin && <PendingRequests />}
      {isAdmin && <BudgetTable />}
      <RequestHistory isAdmin={isAdmin} />
      {adds && <AddBudgetDialog onClose={() => setAdds(false)} />}
      {ask !== undefined && (
        <AskDialog
          budget={ask}
          value={value}
          onClose={() => change({ ask: undefined, value: undefined }, { replace: true })}
        />
      )}
    </Page>
  );
}
