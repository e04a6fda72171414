/** Creates an administration token and shows its secret once. */
import { useState } from 'react';
import { accessLevels, TOKEN_DAYS_DEFAULT } from '../../../../gateway/src/contract/administration/words.ts';
import { useChange } from '../../api/use-operation.ts';
import { DaysField } from '../../parts/days-field.tsx';
import { Choice } from '../../parts/field.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { NameField } from '../../parts/line-field.tsx';
import { SecretDialog } from '../../parts/secret-dialog.tsx';
import { useTexts } from '../../text/say.ts';
import { printKst } from '../../text/times.ts';
import { tokenTexts } from './texts.ts';

export function CreateTokenDialog({ space, onClose }: { space: string | null; onClose(): void }) {
  const t = useTexts(tokenTexts);
  const [own, all] = [useChange('tokens.create'), useChange('operatorTokens.create')];
  const [name, setName] = useState('');
  const [access, setAccess] = useState<(typeof accessLevels)[number]>('read');
  const [days, setDays] = useState(String(TOKEN_DAYS_DEFAULT));
  const made = own.data ?? all.data;
  if (made !== undefined)
    return (
      <SecretDialog
        title={t('madeTitle', { name: made.name })}
        secret={made.token}
        what={t('theToken')}
        onClose={onClose}
      >
        <p className="hint">{t('validUntil', { time: printKst(made.expires_at) })}</p>
      </SecretDialog>
    );
  const wanted = { name, access, days: Number(days) };
  return (
    <FormDialog
      title={t('create')}
      submit={t('createSubmit')}
      followed
      run={() => (space === null ? all.mutateAsync(wanted) : own.mutateAsync({ space, ...wanted }))}
      onClose={onClose}
    >
      <NameField label={t('name')} hint={t('nameHint')} value={name} onType={setName} />
      <Choice
        label={t('access')}
        value={access}
        values={accessLevels}
        labelOf={(level) => t(`${level}Choice`)}
        onChoose={setAccess}
      />
      <DaysField value={days} onType={setDays} />
    </FormDialog>
  );
}
