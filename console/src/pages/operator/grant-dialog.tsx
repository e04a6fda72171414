/** Grants units to a space. */
import { useState } from 'react';
import { useChange } from '../../api/use-operation.ts';
import { Choice } from '../../parts/field.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { LineField } from '../../parts/line-field.tsx';
import { useTexts } from '../../text/say.ts';
import { spaceChangeTexts } from './spaces-texts.ts';

export function GrantDialog({ space, onClose }: { space: string; onClose(): void }) {
  const t = useTexts(spaceChangeTexts);
  const grant = useChange('grants.add');
  const [amount, setAmount] = useState('');
  const [kind, setKind] = useState<'paid' | 'promo'>('paid');
  const [expires, setExpires] = useState('');
  const [note, setNote] = useState('');
  return (
    <FormDialog
      title={t('grantTitle', { space })}
      submit={t('grant')}
      run={() =>
        grant.mutateAsync({
          space,
          amount: amount.trim(),
          kind,
          ...(kind === 'promo' && expires !== '' && { expires: `${expires}:00+09:00` }),
          ...(note !== '' && { note }),
        })
      }
      onClose={onClose}
    >
      <p>{t('grantText')}</p>
      <LineField label={t('amount')} required inputMode="decimal" value={amount} onType={setAmount} />
      <Choice label={t('kind')} value={kind} values={['paid', 'promo']} labelOf={t} onChoose={setKind} />
      {kind === 'promo' && (
        <LineField
          label={t('expires')}
          hint={t('expiresHint')}
          type="datetime-local"
          value={expires}
          onType={setExpires}
        />
      )}
      <LineField label={t('note')} hint={t('noteHint')} maxLength={120} value={note} onType={setNote} />
    </FormDialog>
  );
}
