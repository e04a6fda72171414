/** Batches whose cost is unknown, and settling them again. */
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { ResultOf } from '../../../../gateway/src/contract/administration/admin-endpoints.ts';
import { spacePage } from '../../addresses/space-page.ts';
import { useChange, useList } from '../../api/use-operation.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { Empty } from '../../parts/empty.tsx';
import { RowButton } from '../../parts/row-button.tsx';
import { useTexts } from '../../text/say.ts';
import style from './operator.module.css';
import { quarantineTexts } from './texts.ts';

type Batch = ResultOf<'quarantine.list'>['data'][number];

export function QuarantineTab() {
  const t = useTexts(quarantineTexts);
  const list = useList('quarantine.list', {});
  const requeue = useChange('batches.requeue');
  const [chosen, setChosen] = useState<Batch | null>(null);
  return (
    <div className="stack loose">
      <div className={style.explain}>
        <p>{t('what')}</p>
        <p>{t('how')}</p>
      </div>
      <DataTable
        caption={t('title')}
        list={list}
        rowKey={({ id }) => id}
        columns={[
          {
            key: 'batch',
            title: t('batch'),
            cell: ({ id, space }) => (
              <Link {...spacePage(space, 'batches', { batch: id })} className="words">
                {id}
              </Link>
            ),
          },
          { key: 'space', title: t('space'), as: 'text', wide: true },
          { key: 'model', title: t('model'), as: 'text', wide: true },
          { key: 'reason', title: t('reason'), as: 'words' },
          {
            key: 'lines',
            title: t('lines'),
            number: true,
            wide: true,
            cell: ({ completed, total }) => `${completed} / ${total}`,
          },
          { key: 'ended_at', title: t('ended'), as: 'moment', wide: true },
          {
            key: 'actions',
            title: t('actions'),
            cell: (row) => (
              <RowButton name={t('requeueName', { batch: row.id })} onClick={() => setChosen(row)}>
                {t('requeue')}
              </RowButton>
            ),
          },
        ]}
        empty={<Empty title={t('empty')} command="tollgate batches quarantined" text={t('emptyText')} />}
      />
      {chosen !== null && (
        <ConfirmDialog
          title={t('requeueTitle', { batch: chosen.id })}
          confirm={t('requeue')}
          run={() => requeue.mutateAsync({ batch: chosen.id })}
          onClose={() => setChosen(null)}
        >
          {t('requeueText', { space: chosen.space })}
        </ConfirmDialog>
      )}
    </div>
  );
}
