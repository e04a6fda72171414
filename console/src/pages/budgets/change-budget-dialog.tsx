/** Changes the name and the amount of a budget, and whether it refuses. What it counts stays. */
import { useState } from 'react';
import { useSpace } from '../../addresses/use-space.ts';
import { useChange } from '../../api/use-operation.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { LineField } from '../../parts/line-field.tsx';
import { useTexts } from '../../text/say.ts';
import type { BudgetRow } from './budget-words.ts';
import { EffectField } from './effect-field.tsx';
import { budgetsTexts } from './texts.ts';

interface ChangeProps {
  readonly budget: BudgetRow;
  onRenamed(name: string): void;
  onClose(): void;
}

export function ChangeBudgetDialog({ budget, onRenamed, onClose }: ChangeProps) {
  const t = useTexts(budgetsTexts);
  const [space, change] = [useSpace(), useChange('budgets.change')];
  const [name, setName] = useState(budget.name);
  const [amount, setAmount] = useState(budget.amount);
  const [hard, setHard] = useState(budget.hard);
  const run = async (): Promise<void> => {
    const renamed = name.trim() !== budget.name;
    const wanted = { amount, hard, new_name: renamed ? name.trim() : undefined };
    await change.mutateAsync({ space, budget: budget.name, ...wanted });
    if (renamed) onRenamed(name.trim());
  };
  return (
    <FormDialog
      title={t('changeTitle', { name: budget.name })}
      submit={t('save')}
      run={run}
      onClose={onClose}
    >
      <LineField
        label={t('name')}
        hint={t('nameHint')}
        required
        maxLength={120}
        value={name}
        onType={setName}
      />
      <LineField label={t('amount')} required inputMode="decimal" value={amount} onType={setAmount} />
      <EffectField hard={hard} onChoose={setHard} />
    </FormDialog>
  );
}
