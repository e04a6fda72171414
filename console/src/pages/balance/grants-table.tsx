import { useSpace } from '../../addresses/use-space.ts';
import { csvAddress } from '../../api/ask-console.ts';
import { useList } from '../../api/use-operation.ts';
import { Badge } from '../../parts/badge.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Moment } from '../../parts/moment.tsx';
import { useTexts } from '../../text/say.ts';
import { PanelHead } from './panel-head.tsx';
import { balanceTexts } from './texts.ts';

/** The units that were granted, and what remains of each grant. */
export function GrantsTable() {
  const t = useTexts(balanceTexts);
  const space = useSpace();
  const list = useList('grants.list', { space });
  return (
    <>
      <PanelHead csv={csvAddress('grants.list', { space, limit: 1_000 })}>{t('grantsHint')}</PanelHead>
      <DataTable
        caption={t('grants')}
        list={list}
        rowKey={({ id }) => id}
        empty={
          <Empty
            title={t('noGrants')}
            command={`tollgate grants add 100 --space ${space}`}
            text={t('noGrantsText')}
          />
        }
        columns={[
          { key: 'created_at', title: t('time'), as: 'moment' },
          { key: 'kind', title: t('kind'), cell: ({ kind }) => <Badge tone="quiet">{t(kind)}</Badge> },
          { key: 'amount', title: t('granted'), as: 'units' },
          { key: 'remaining', title: t('remaining'), as: 'units' },
          {
            key: 'expires',
            title: t('expires'),
            cell: ({ expires_at }) => (expires_at === null ? t('never') : <Expiry at={expires_at} />),
          },
          { key: 'note', title: t('note'), as: 'text', wide: true },
        ]}
      />
    </>
  );
}

function Expiry({ at }: { at: string }) {
  const t = useTexts(balanceTexts);
  return (
    <>
      <Moment at={at} /> {Date.parse(at) <= Date.now() && <Badge tone="quiet">{t('expired')}</Badge>}
    </>
  );
}
