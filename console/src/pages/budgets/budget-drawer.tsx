/** Everything about one budget, who spent most of it, and what an administrator can change. */
import { useState } from 'react';
import { useSpace } from '../../addresses/use-space.ts';
import { useChange, useList } from '../../api/use-operation.ts';
import { ActionBar } from '../../parts/action-bar.tsx';
import { Badge } from '../../parts/badge.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Fact, Facts } from '../../parts/facts.tsx';
import { Meter } from '../../parts/meter.tsx';
import { useTexts } from '../../text/say.ts';
import { type BudgetRow, countedText, forecastText } from './budget-words.ts';
import { ChangeBudgetDialog } from './change-budget-dialog.tsx';
import { budgetsTexts } from './texts.ts';

interface DrawerProps {
  readonly name: string;
  /** Absent: there is none of this name. */
  readonly budget: BudgetRow | undefined;
  onClose(): void;
  onRenamed(name: string): void;
}

const actions = ['change', 'remove'] as const;

export function BudgetDrawer({ name, budget, onClose, onRenamed }: DrawerProps) {
  const t = useTexts(budgetsTexts);
  const [space, remove] = [useSpace(), useChange('budgets.remove')];
  const [action, setAction] = useState<(typeof actions)[number] | null>(null);
  const close = (): void => setAction(null);
  if (budget === undefined)
    return (
      <Dialog side title={name} onClose={onClose}>
        <p>{t('notFound', { name })}</p>
      </Dialog>
    );
  return (
    <Dialog
      side
      title={name}
      head={<Badge tone={budget.hard ? 'warn' : 'quiet'}>{t(budget.hard ? 'refuses' : 'warns')}</Badge>}
      onClose={onClose}
    >
      <ActionBar actions={actions} danger="remove" labelOf={(one) => t(one)} onChoose={setAction} />
      <BudgetFacts budget={budget} />
      {budget.per !== null && <BudgetValues name={name} exists={!remove.isPending && !remove.isSuccess} />}
      {action === 'change' && <ChangeBudgetDialog budget={budget} onRenamed={onRenamed} onClose={close} />}
      {action === 'remove' && (
        <ConfirmDialog
          title={t('removeTitle', { name })}
          confirm={t('remove')}
          danger
          run={async () => {
            await remove.mutateAsync({ space, budget: name });
            onClose();
          }}
          onClose={close}
        >
          {t('removeText')}
        </ConfirmDialog>
      )}
    </Dialog>
  );
}

function BudgetFacts({ budget }: { budget: BudgetRow }) {
  const t = useTexts(budgetsTexts);
  const { window, amount, spent, requests, resets_at: resets, created_at: created, id } = budget;
  return (
    <Facts>
      <Fact name={t('counts')}>{countedText(t, budget)}</Fact>
      <Fact name={t('amount')} as="units" value={amount} />
      <Fact name={t('window')}>{t(window)}</Fact>
      <Fact name={t('spent')} as="units" value={spent} />
      <Fact name={t('requestsCounted')} as="count" value={requests} />
      <Fact name={t('resets')} as="moment" value={resets} />
      <Fact name={t('forecast')}>{forecastText(t, budget) ?? '–'}</Fact>
      <Fact name={t('createdAt')} as="moment" value={created} />
      <Fact name={t('id')} as="code" value={id} />
    </Facts>
  );
}

/** What was removed is not read again. */
function BudgetValues({ name, exists }: { name: string; exists: boolean }) {
  const t = useTexts(budgetsTexts);
  const space = useSpace();
  return (
    <>
      <h3>{t('values')}</h3>
      <DataTable
        caption={t('values')}
        list={useList('budgets.values', { space, budget: name }, { enabled: exists })}
        rowKey={({ value }) => value ?? ''}
        columns={[
          { key: 'value', title: t('value'), cell: ({ value }) => value ?? t('longValues') },
          {
            key: 'spent',
            title: t('spentOf'),
            cell: ({ spent, amount }) => <Meter spent={spent} limit={amount} />,
          },
          { key: 'requests', title: t('requestsCounted'), as: 'count', wide: true },
        ]}
        empty={<p className="hint">{t('noValues')}</p>}
      />
    </>
  );
}
