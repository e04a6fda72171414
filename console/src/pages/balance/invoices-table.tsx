import { useSpace } from '../../addresses/use-space.ts';
import { csvAddress } from '../../api/ask-console.ts';
import { useList } from '../../api/use-operation.ts';
import { DataTable } from '../../parts/data-table.tsx';
import { Empty } from '../../parts/empty.tsx';
import { useRole } from '../../session/session.ts';
import { useTexts } from '../../text/say.ts';
import { PanelHead } from './panel-head.tsx';
import { balanceTexts } from './texts.ts';

/** The overage that was invoiced, and is not owed any more. */
export function InvoicesTable() {
  const t = useTexts(balanceTexts);
  const space = useSpace();
  const { isOperator } = useRole();
  const list = useList('invoices.list', { space });
  return (
    <>
      <PanelHead csv={csvAddress('invoices.list', { space, limit: 1_000 })}>{t('invoicesHint')}</PanelHead>
      <DataTable
        caption={t('invoices')}
        list={list}
        rowKey={({ id }) => id}
        empty={
          <Empty
            title={t('noInvoices')}
            command={isOperator ? `tollgate spaces invoice ${space}` : undefined}
            text={t('noInvoicesText')}
          />
        }
        columns={[
          { key: 'at', title: t('time'), as: 'moment' },
          { key: 'id', title: t('invoice'), as: 'code' },
          { key: 'units', title: t('units'), as: 'units' },
          { key: 'note', title: t('note'), as: 'text' },
          { key: 'entry', title: t('entry'), as: 'number', wide: true },
        ]}
      />
    </>
  );
}
