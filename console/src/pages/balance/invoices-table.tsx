import { useSpace } from '../../addresses/use-space.ts';
import { csvAddress } from '../../api/ask-console.ts';
import { useList } from '../../api/use-operation.ts';
import { DataTable } from '../../parts/data-table.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Moment } from '../../parts/moment.tsx';
import { UnitAmount } from '../../parts/unit-amount.tsx';
import { useRole } from '../../session/session.ts';
import { useTexts } from '../../text/use-texts.ts';
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
          { key: 'at', title: t('time'), cell: ({ at }) => <Moment at={at} /> },
          { key: 'id', title: t('invoice'), cell: ({ id }) => <code>{id}</code> },
          {
            key: 'units',
            title: t('units'),
            number: true,
            cell: ({ units }) => <UnitAmount value={units} />,
          },
          { key: 'note', title: t('note'), cell: ({ note }) => note },
          { key: 'entry', title: t('entry'), number: true, wide: true, cell: ({ entry }) => entry },
        ]}
      />
    </>
  );
}
