/** The rules by which pods and CI jobs call as a key. Administrators add and remove them. */
import { useState } from 'react';
import { useSpace } from '../../addresses/use-space.ts';
import { type ItemOf, useChange, useList, useRead } from '../../api/use-operation.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { RowButton } from '../../parts/row-button.tsx';
import { useRole } from '../../session/session.ts';
import { useTexts } from '../../text/say.ts';
import { AddWorkloadDialog } from './add-workload-dialog.tsx';
import { workloadTexts } from './workload-texts.ts';

type Rule = ItemOf<'workloads.list'>;

const SUBJECTS_READ_MAX = 200;

interface KeyWorkloadsProps {
  /** Of the key. */
  readonly name: string;
  /** False: the key is being revoked, and is not found again. */
  readonly asks: boolean;
}

/** Nothing is shown to those who can neither see a rule nor add one. */
export function KeyWorkloads({ name, asks }: KeyWorkloadsProps) {
  const t = useTexts(workloadTexts);
  const space = useSpace();
  const { isOperator } = useRole();
  const rules = useList('workloads.list', { space, key: name }, { enabled: asks });
  const given = useRead('workloadSubjects.list', { space, limit: SUBJECTS_READ_MAX }).data?.data;
  const [adds, setAdds] = useState(false);
  const [removed, setRemoved] = useState<Rule | null>(null);
  if (given === undefined) return null;
  // An operator may use any subject that no other space has.
  const canAdd = isOperator || given.length > 0;
  if (!canAdd && rules.error === null && rules.rows.length === 0) return null;
  return (
    <section className="stack near" aria-label={t('title')}>
      <div className="apart">
        <h3>{t('title')}</h3>
        {canAdd && (
          <button type="button" onClick={() => setAdds(true)}>
            {t('add')}
          </button>
        )}
      </div>
      <p className="hint">
        {t('intro')} {!canAdd && t('askOperator')}
      </p>
      <DataTable
        caption={t('title')}
        list={rules}
        rowKey={({ id }) => id}
        columns={[
          {
            key: 'subject',
            title: t('workload'),
            cell: ({ subject, issuer, claims }) => (
              <>
                <code className="words">{subject}</code>
                <div className="hint">{[issuer, ...claims].join(' · ')}</div>
              </>
            ),
          },
          {
            key: 'actions',
            title: t('actions'),
            cell: (rule) => (
              <RowButton name={t('removeName', { subject: rule.subject })} onClick={() => setRemoved(rule)}>
                {t('remove')}
              </RowButton>
            ),
          },
        ]}
        empty={<p className="hint">{t('empty')}</p>}
      />
      {adds && <AddWorkloadDialog name={name} given={given} onClose={() => setAdds(false)} />}
      {removed !== null && <RemoveDialog rule={removed} onClose={() => setRemoved(null)} />}
    </section>
  );
}

function RemoveDialog({ rule: { id, subject }, onClose }: { rule: Rule; onClose(): void }) {
  const t = useTexts(workloadTexts);
  const [space, remove] = [useSpace(), useChange('workloads.remove')];
  return (
    <ConfirmDialog
      title={t('removeTitle', { subject })}
      confirm={t('remove')}
      danger
      run={() => remove.mutateAsync({ space, workload: id })}
      onClose={onClose}
    >
      {t('removeText')}
    </ConfirmDialog>
  );
}
