/** Asks for more of a budget. Refusals link to it. */
import { useState } from 'react';
import { useSpace } from '../../addresses/use-space.ts';
import { useChange } from '../../api/use-operation.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { LineField } from '../../parts/line-field.tsx';
import { useTexts } from '../../text/say.ts';
import { budgetsTexts } from './texts.ts';

interface AskProps {
  readonly budget: string;
  /** Of a budget for each value: which one. */
  readonly value: string | undefined;
  onClose(): void;
}

export function AskDialog({ budget, value, onClose }: AskProps) {
  const t = useTexts(budgetsTexts);
  const [space, ask] = [useSpace(), useChange('budgets.ask')];
  const [amount, setAmount] = useState('');
  const [note, setNote] = useState('');
  const more = { amount, value: value || undefined, note: note.trim() || undefined };
  return (
    <FormDialog
      title={t('askTitle', { name: budget })}
      submit={t('ask')}
      run={() => ask.mutateAsync({ space, budget, ...more })}
      onClose={onClose}
    >
      <p>
        {value !== undefined && `${t('askValue', { value })} `}
        {t('askText')}
      </p>
      <LineField label={t('more')} required inputMode="decimal" value={amount} onType={setAmount} />
      <LineField label={t('why')} maxLength={120} value={note} onType={setNote} />
    </FormDialog>
  );
}
