/** The targets of the space: each can get a test, and be removed. */
import { useState } from 'react';
import { useSpace } from '../../addresses/use-space.ts';
import { type ItemOf, useChange, useList } from '../../api/use-operation.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { Empty } from '../../parts/empty.tsx';
import { ThrownNote } from '../../parts/failure-note.tsx';
import { RowButton } from '../../parts/row-button.tsx';
import { useRun } from '../../parts/use-run.ts';
import { useTexts } from '../../text/say.ts';
import { alertsTexts } from './texts.ts';

type Target = ItemOf<'alerts.list'>;

export function TargetList() {
  const t = useTexts(alertsTexts);
  const [space, remove, test] = [useSpace(), useChange('alerts.remove'), useChange('alerts.test')];
  const { error, run } = useRun();
  const [ends, setEnds] = useState<Target | null>(null);
  const [tested, setTested] = useState<string | null>(null);
  const send = async ({ id, name }: Target): Promise<void> => {
    setTested(null);
    if (await run(() => test.mutateAsync({ space, target: id }))) setTested(name);
  };
  return (
    <>
      <p role="status" className="hint">
        {tested !== null && t('tested', { name: tested })}
      </p>
      <ThrownNote error={error} />
      <DataTable
        caption={t('targets')}
        list={useList('alerts.list', { space })}
        rowKey={({ id }) => id}
        columns={[
          { key: 'name', title: t('name'), as: 'text' },
          { key: 'type', title: t('type'), cell: ({ type }) => t(type) },
          { key: 'address', title: t('address'), as: 'text', wide: true },
          {
            key: 'events',
            title: t('events'),
            wide: true,
            cell: ({ events }) => events?.join(', ') ?? t('allEvents'),
          },
          { key: 'created_at', title: t('addedAt'), as: 'moment', wide: true },
          {
            key: 'actions',
            title: t('actions'),
            cell: (row) => (
              <>
                <RowButton name={t('testName', { name: row.name })} onClick={() => void send(row)}>
                  {t('test')}
                </RowButton>{' '}
                <RowButton name={t('removeName', { name: row.name })} onClick={() => setEnds(row)}>
                  {t('remove')}
                </RowButton>
              </>
            ),
          },
        ]}
        empty={
          <Empty
            title={t('empty')}
            command={`tollgate alerts add NAME TYPE ADDRESS --space ${space}`}
            text={t('emptyText')}
          />
        }
      />
      {ends !== null && (
        <ConfirmDialog
          title={t('removeTitle', { name: ends.name })}
          confirm={t('remove')}
          danger
          run={() => remove.mutateAsync({ space, target: ends.id })}
          onClose={() => setEnds(null)}
        >
          {t('removeText')}
        </ConfirmDialog>
      )}
    </>
  );
}
