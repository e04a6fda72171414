/** How much a key or a member may spend per calendar month. */
import { type ReactNode, useState } from 'react';
import { useTexts } from '../text/define-texts.ts';
import { printKst } from '../text/times.ts';
import { FormDialog } from './form-dialog.tsx';
import { LineField } from './line-field.tsx';
import { monthLimitTexts } from './month-limit-texts.ts';
import { groupDigits } from './unit-amount.tsx';

interface MonthLimitDialogProps {
  readonly title: string;
  readonly row: { readonly month_limit: string | null; readonly spent: string; readonly resets_at: string };
  /** What the limit applies to. */
  readonly children?: ReactNode;
  /** Null: no limit. */
  run(limit: string | null): Promise<unknown>;
  onClose(): void;
}

export function MonthLimitDialog({ title, row, children, run, onClose }: MonthLimitDialogProps) {
  const t = useTexts(monthLimitTexts);
  const [typed, setTyped] = useState(row.month_limit ?? '');
  return (
    <FormDialog
      title={title}
      submit={t('save')}
      run={() => run(typed.trim() === '' ? null : typed.trim())}
      onClose={onClose}
    >
      {children}
      <p>{t('spent', { spent: groupDigits(row.spent), time: printKst(row.resets_at) })}</p>
      <MonthLimitField value={typed} onType={setTyped} />
    </FormDialog>
  );
}

export function MonthLimitField(props: { value: string; onType(value: string): void }) {
  const t = useTexts(monthLimitTexts);
  return <LineField label={t('limit')} hint={t('limitHint')} inputMode="decimal" {...props} />;
}
