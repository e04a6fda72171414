/** Adds a target; the secret of a webhook is shown once. */
import { useState } from 'react';
import { alertTargetTypes } from '../../../../gateway/src/contract/administration/words.ts';
import { useSpace } from '../../addresses/use-space.ts';
import { useChange } from '../../api/use-operation.ts';
import { Choice } from '../../parts/field.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { LineField, NameField } from '../../parts/line-field.tsx';
import { SecretDialog } from '../../parts/secret-dialog.tsx';
import { useTexts } from '../../text/say.ts';
import { alertsTexts } from './texts.ts';

export function AddTargetDialog({ onClose }: { onClose(): void }) {
  const t = useTexts(alertsTexts);
  const [space, add] = [useSpace(), useChange('alerts.add')];
  const [name, setName] = useState('');
  const [type, setType] = useState<(typeof alertTargetTypes)[number]>('webhook');
  const [address, setAddress] = useState('');
  const secret = add.data?.secret ?? null;
  if (secret !== null)
    return (
      <SecretDialog title={t('madeTitle', { name })} secret={secret} what={t('theSecret')} onClose={onClose}>
        <p className="hint">{t('madeText')}</p>
      </SecretDialog>
    );
  const run = async (): Promise<void> => {
    const added = await add.mutateAsync({ space, name, type, address });
    if (added.secret === null) onClose();
  };
  return (
    <FormDialog title={t('add')} submit={t('addSubmit')} followed run={run} onClose={onClose}>
      <NameField label={t('name')} value={name} onType={setName} />
      <Choice label={t('type')} value={type} values={alertTargetTypes} labelOf={t} onChoose={setType} />
      <LineField
        label={t('address')}
        hint={t(`${type}Hint`)}
        type={type === 'email' ? 'email' : 'url'}
        required
        value={address}
        onType={setAddress}
      />
    </FormDialog>
  );
}
