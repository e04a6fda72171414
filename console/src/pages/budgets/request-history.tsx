/** Requests for more: all of the space, or a member's own. */
import { useSpace } from '../../addresses/use-space.ts';
import { type ItemOf, useList } from '../../api/use-operation.ts';
import { Badge, type Tone } from '../../parts/badge.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Card } from '../../parts/page.tsx';
import { useTexts } from '../../text/say.ts';
import { budgetsTexts } from './texts.ts';

type Asked = ItemOf<'budgetRequests.list'>;

const tones: Readonly<Record<Asked['state'], Tone>> = {
  pending: 'warn',
  approved_once: 'good',
  approved: 'good',
  declined: 'bad',
};

export function RequestHistory({ isAdmin }: { isAdmin: boolean }) {
  const t = useTexts(budgetsTexts);
  const space = useSpace();
  const list = useList('budgetRequests.list', { space });
  // Of an administrator the page has other things to show.
  if (isAdmin && list.rows.length === 0 && list.error === null) return null;
  const title = t(isAdmin ? 'history' : 'ownHistory');
  const askedBy: Column<Asked> = { key: 'asked_by', title: t('askedBy'), as: 'text', wide: true };
  return (
    <Card title={title}>
      <DataTable
        caption={title}
        list={list}
        rowKey={({ id }) => id}
        columns={[
          {
            key: 'budget',
            title: t('budget'),
            cell: ({ budget, value, note }) => (
              <>
                {value === null ? budget : `${budget} · ${value}`}
                {note !== null && <div className="hint">{note}</div>}
              </>
            ),
          },
          { key: 'amount', title: t('units'), as: 'units' },
          {
            key: 'state',
            title: t('state'),
            cell: ({ state }) => <Badge tone={tones[state]}>{t(`state_${state}`)}</Badge>,
          },
          ...(isAdmin ? [askedBy] : []),
          { key: 'created_at', title: t('askedAt'), as: 'moment', wide: true },
          { key: 'decided_by', title: t('decidedBy'), as: 'text', wide: true },
        ]}
        empty={
          <Empty
            title={t('noRequests')}
            command={`tollgate budgets request NAME --units N --space ${space}`}
            text={t('noRequestsText')}
          />
        }
      />
    </Card>
  );
}
