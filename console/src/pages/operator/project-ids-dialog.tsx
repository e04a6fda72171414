/** Which ids of projects a space has: an operator gives and releases them, because an id decides whose logs are read. */
import { useState } from 'react';
import { type ItemOf, useChange, useList } from '../../api/use-operation.ts';
import { Badge } from '../../parts/badge.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Empty } from '../../parts/empty.tsx';
import { ThrownNote } from '../../parts/failure-note.tsx';
import { Form } from '../../parts/field.tsx';
import { LineField } from '../../parts/line-field.tsx';
import { RowButton } from '../../parts/row-button.tsx';
import { useRun } from '../../parts/use-run.ts';
import { useTexts } from '../../text/say.ts';
import { projectIdTexts } from './spaces-texts.ts';

type Row = ItemOf<'projectIds.list'>;

export function ProjectIdsDialog({ space, onClose }: { space: string; onClose(): void }) {
  const t = useTexts(projectIdTexts);
  const list = useList('projectIds.list', { space });
  const [give, release] = [useChange('projectIds.give'), useChange('projectIds.release')];
  const [typed, setTyped] = useState('');
  const { runs, error, run } = useRun();
  return (
    <Dialog title={t('title', { space })} onClose={onClose}>
      <p className="hint">{t('intro')}</p>
      <DataTable<Row>
        caption={t('title', { space })}
        list={list}
        rowKey={({ ids }) => ids}
        columns={[
          { key: 'ids', title: t('ids'), as: 'code' },
          {
            key: 'state',
            title: t('state'),
            cell: ({ state }) => <Badge tone={state === 'used' ? 'good' : 'quiet'}>{t(state)}</Badge>,
          },
          { key: 'since', title: t('since'), as: 'moment', wide: true },
          {
            key: 'actions',
            title: t('actions'),
            cell: ({ ids, state }) =>
              state === 'used' ? (
                <span className="hint">{t('removeFirst')}</span>
              ) : (
                <RowButton
                  name={t('releaseName', { ids })}
                  onClick={() => void run(() => release.mutateAsync({ space, ids }))}
                >
                  {t('release')}
                </RowButton>
              ),
          },
        ]}
        empty={<Empty title={t('empty')} />}
      />
      <Form
        onSubmit={() =>
          void run(async () => {
            await give.mutateAsync({ space, ids: typed });
            setTyped('');
          })
        }
      >
        <LineField
          label={t('giveLabel')}
          hint={t('giveHint')}
          required
          maxLength={64}
          value={typed}
          onType={setTyped}
        />
        <ThrownNote error={error} />
        <button type="submit" disabled={runs}>
          {t('give')}
        </button>
      </Form>
    </Dialog>
  );
}
