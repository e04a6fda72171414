/** Invites an address to the space; the link is shown once. */
import { useState } from 'react';
import { memberRoles } from '../../../../gateway/src/contract/administration/words.ts';
import { useSpace } from '../../addresses/use-space.ts';
import { useChange } from '../../api/use-operation.ts';
import { Choice } from '../../parts/field.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { LineField } from '../../parts/line-field.tsx';
import { SecretDialog } from '../../parts/secret-dialog.tsx';
import { useTexts } from '../../text/say.ts';
import { printKst } from '../../text/times.ts';
import { invitationTexts } from './texts.ts';

export function InviteDialog({ onClose }: { onClose(): void }) {
  const t = useTexts(invitationTexts);
  const [space, invite] = [useSpace(), useChange('invitations.create')];
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<(typeof memberRoles)[number]>('member');
  if (invite.data !== undefined) {
    const { path, expires_at } = invite.data;
    return (
      <SecretDialog
        title={t('madeTitle', { email })}
        secret={`${location.origin}${path}`}
        what={t('theLink')}
        onClose={onClose}
      >
        <p className="hint">{t('madeText', { email, time: printKst(expires_at) })}</p>
      </SecretDialog>
    );
  }
  return (
    <FormDialog
      title={t('inviteTitle')}
      submit={t('create')}
      followed
      run={() => invite.mutateAsync({ space, email, role })}
      onClose={onClose}
    >
      <p>{t('inviteText')}</p>
      <LineField
        label={t('email')}
        hint={t('emailHint')}
        type="email"
        required
        value={email}
        onType={setEmail}
      />
      <Choice label={t('role')} value={role} values={memberRoles} labelOf={t} onChoose={setRole} />
    </FormDialog>
  );
}
