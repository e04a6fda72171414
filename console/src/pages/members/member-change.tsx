/** The dialog of an action on a member. */
import { useState } from 'react';
import type { SettingOn } from '../../../../gateway/src/contract/administration/rules/find-rules.ts';
import { memberRoles } from '../../../../gateway/src/contract/administration/words.ts';
import { useSpace } from '../../addresses/use-space.ts';
import { useChange } from '../../api/use-operation.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Choice } from '../../parts/field.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { NameField } from '../../parts/line-field.tsx';
import { SignInLinkDialog } from '../../parts/sign-in-link-dialog.tsx';
import { useSession } from '../../session/session.ts';
import { useTexts } from '../../text/say.ts';
import { OwnedTokens } from '../../topics/admin-tokens/owned-tokens.tsx';
import { RuleDialog } from '../../topics/rules/rule-dialog.tsx';
import type { MemberChangeProps } from './member-row.ts';
import { membersTexts } from './texts.ts';

export type MemberAction = 'changeRole' | SettingOn<'member'> | 'changeName' | 'signInLink' | 'remove';

export function MemberChange({
  action,
  onRemoved,
  ...props
}: MemberChangeProps & { action: MemberAction; onRemoved(): void }) {
  switch (action) {
    case 'changeRole':
      return <RoleDialog {...props} />;
    case 'changeName':
      return <NameDialog {...props} />;
    case 'signInLink':
      return <SignInLinkDialog email={props.row.email} onClose={props.onClose} />;
    case 'remove':
      return <RemoveDialog {...props} onRemoved={onRemoved} />;
    default:
      return <MemberRuleDialog {...props} setting={action} />;
  }
}

function MemberRuleDialog({ setting, row, onClose }: MemberChangeProps & { setting: SettingOn<'member'> }) {
  const t = useTexts(membersTexts);
  const { email } = row;
  const named = { space: useSpace(), email };
  return (
    <RuleDialog holder="member" setting={setting} named={named} name={email} row={row} onClose={onClose}>
      <p>{t('forAllKeys')}</p>
    </RuleDialog>
  );
}

function RoleDialog({ row: { email, role }, onClose }: MemberChangeProps) {
  const t = useTexts(membersTexts);
  const { person } = useSession();
  const [space, change] = [useSpace(), useChange('members.role')];
  const [wanted, setWanted] = useState(role);
  const [keeps, setKeeps] = useState(false);
  const keep_tokens = keeps || undefined;
  return (
    <FormDialog
      title={t('roleTitle', { email })}
      submit={t('save')}
      run={() => change.mutateAsync({ space, email, role: wanted, keep_tokens })}
      onClose={onClose}
    >
      <Choice
        label={t('role')}
        value={wanted}
        values={memberRoles}
        labelOf={t}
        hint={t(wanted === 'admin' ? 'roleAdmin' : 'roleMember')}
        onChoose={setWanted}
      />
      {email === person.email && <p className="hint">{t('ownRole')}</p>}
      {role === 'admin' && wanted === 'member' && (
        <OwnedTokens owner={email} space={space} keeps={keeps} onKeep={setKeeps} />
      )}
    </FormDialog>
  );
}

function NameDialog({ row: { email, nickname }, onClose }: MemberChangeProps) {
  const t = useTexts(membersTexts);
  const [space, change] = [useSpace(), useChange('members.nickname')];
  const [typed, setTyped] = useState(nickname);
  return (
    <FormDialog
      title={t('nameTitle', { email })}
      submit={t('save')}
      run={() => change.mutateAsync({ space, email, nickname: typed })}
      onClose={onClose}
    >
      <NameField label={t('name')} hint={t('nameHint')} value={typed} onType={setTyped} />
    </FormDialog>
  );
}

function RemoveDialog({ row, onClose, onRemoved }: MemberChangeProps & { onRemoved(): void }) {
  const { email, active_keys: count } = row;
  const t = useTexts(membersTexts);
  const [space, remove] = [useSpace(), useChange('members.remove')];
  const [keeps, setKeeps] = useState(false);
  const keep_tokens = keeps || undefined;
  return (
    <ConfirmDialog
      title={t('removeTitle', { email })}
      confirm={t('removeConfirm')}
      danger
      run={async () => {
        await remove.mutateAsync({ space, email, keep_tokens });
        onRemoved();
      }}
      onClose={onClose}
    >
      <p>{t('removeKeys', { count })}</p>
      <p>{t('removeText')}</p>
      <OwnedTokens owner={email} space={space} keeps={keeps} onKeep={setKeeps} />
    </ConfirmDialog>
  );
}
