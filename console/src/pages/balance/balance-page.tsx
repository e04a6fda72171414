/** What a space holds and owes, how long that lasts, and every movement that led to it. */
import { SpaceLink } from '../../addresses/space-link.tsx';
import { useSearchState } from '../../addresses/use-search.ts';
import { useSpace } from '../../addresses/use-space.ts';
import { useRead } from '../../api/use-operation.ts';
import { ThrownNote } from '../../parts/failure-note.tsx';
import { MonthPeriod, MonthPicker, shownMonth } from '../../parts/month-picker.tsx';
import { Page } from '../../parts/page.tsx';
import { ReadNote } from '../../parts/read-note.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { useRole } from '../../session/session.ts';
import { useTexts } from '../../text/say.ts';
import style from './balance.module.css';
import { BalanceFigures } from './balance-figures.tsx';
import { GrantsTable } from './grants-table.tsx';
import { InvoicesTable } from './invoices-table.tsx';
import { JournalTable } from './journal-table.tsx';
import { AgreementPairs } from './statement/agreement-pairs.tsx';
import { MovementTable } from './statement/movement-table.tsx';
import { balanceTexts } from './texts.ts';
import { useUnsettled } from './use-unsettled.ts';

const tabs = ['grants', 'statement', 'invoices', 'journal'] as const;

const panels = {
  grants: GrantsTable,
  statement: StatementTable,
  invoices: InvoicesTable,
  journal: JournalTable,
} as const;

export function BalancePage() {
  const t = useTexts(balanceTexts);
  const space = useSpace();
  const { isAdmin } = useRole();
  const balance = useRead('reports.balance', { space });
  const account = useRead('spaces.get', { space });
  const error = balance.error ?? account.error;
  const unsettled = useUnsettled();
  const isRead = balance.data !== undefined && account.data !== undefined && unsettled !== undefined;
  // Everything appears at the same time, so that nothing moves under the pointer.
  const waits = !isRead && error === null;
  return (
    <Page title={t('title')} intro={t('intro')}>
      <ThrownNote error={error} />
      {waits && <p role="status">{t('loading')}</p>}
      {isRead && <BalanceFigures balance={balance.data} account={account.data} unsettled={unsettled} />}
      {isAdmin && (
        <div hidden={waits}>
          <Movements />
        </div>
      )}
    </Page>
  );
}

/** For administrators: where the units came from and where they went. */
function Movements() {
  const t = useTexts(balanceTexts);
  const [search, change] = useSearchState();
  const current = tabs.find((tab) => tab === search.tab) ?? 'grants';
  const Panel = panels[current];
  return (
    <>
      <Tabs
        id="balance"
        label={t('movements')}
        current={current}
        tabs={tabs.map((id) => ({ id, label: t(id) }))}
        onChoose={(tab) => change({ tab }, { replace: true })}
      />
      <div id="balance-panel" role="tabpanel" aria-labelledby={`balance-${current}`}>
        <Panel />
      </div>
    </>
  );
}

/** What the space held at the start of a month, what moved, and what it held at the end. */
function StatementTable() {
  const t = useTexts(balanceTexts);
  const space = useSpace();
  const [search, change] = useSearchState();
  const month = shownMonth(search.month);
  const read = useRead('statements.get', { space, month });
  const statement = read.data?.month === month ? read.data : null;
  return (
    <>
      <div className={style.head}>
        {statement === null ? (
          <span />
        ) : (
          <MonthPeriod start={statement.period_start} end={statement.period_end} />
        )}
        <SpaceLink page="statement" search={{ month }}>
          {t('wholeStatement')}
        </SpaceLink>
        <MonthPicker month={month} onChoose={(chosen) => change({ month: chosen })} />
      </div>
      <ReadNote read={read} waits={statement === null} />
      {statement !== null && (
        <div className={style.statement}>
          <MovementTable statement={statement} />
          <AgreementPairs statement={statement} />
        </div>
      )}
    </>
  );
}
