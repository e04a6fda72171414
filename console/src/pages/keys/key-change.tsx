/** The dialog of an action on a key. */

import type { SettingOn } from '../../../../gateway/src/contract/administration/rules/find-rules.ts';
import { SpaceLink } from '../../addresses/space-link.tsx';
import { useSpace } from '../../addresses/use-space.ts';
import { useChange } from '../../api/use-operation.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { useRole } from '../../session/session.ts';
import { useTexts } from '../../text/say.ts';
import { RuleDialog } from '../../topics/rules/rule-dialog.tsx';
import { keyChangeTexts } from './change-texts.ts';
import type { KeyAction } from './key-actions.tsx';
import type { KeyChangeProps } from './key-view.ts';
import { RotateDialog } from './rotate-dialog.tsx';

export function KeyChange({
  action,
  onRevoked,
  ...props
}: KeyChangeProps & { action: KeyAction; onRevoked(): void }) {
  switch (action) {
    case 'rotate':
      return <RotateDialog {...props} />;
    case 'revoke':
      return <RevokeDialog {...props} onRevoked={onRevoked} />;
    default:
      return <KeyRuleDialog {...props} setting={action} />;
  }
}

function RevokeDialog({ row: { name }, onClose, onRevoked }: KeyChangeProps & { onRevoked(): void }) {
  const t = useTexts(keyChangeTexts);
  const [space, revoke] = [useSpace(), useChange('keys.revoke')];
  return (
    <ConfirmDialog
      title={t('revokeTitle', { name })}
      confirm={t('revoke')}
      danger
      run={async () => {
        await revoke.mutateAsync({ space, name });
        onRevoked();
      }}
      onClose={onClose}
    >
      {t('revokeText')}
    </ConfirmDialog>
  );
}

/** What is set of a key, and what that does not say about other keys of its owner. */
function KeyRuleDialog({ setting, row, onClose }: KeyChangeProps & { setting: SettingOn<'key'> }) {
  const t = useTexts(keyChangeTexts);
  const { isAdmin } = useRole();
  const { name, owner } = row;
  const named = { space: useSpace(), name };
  return (
    <RuleDialog holder="key" setting={setting} named={named} name={name} row={row} onClose={onClose}>
      {setting === 'disable' ? !isAdmin && <p>{t('disableOwn')}</p> : <OnlyThisKey owner={owner} />}
    </RuleDialog>
  );
}

/** The owner of a personal key can create others, which have no rule of this key. */
function OnlyThisKey({ owner }: { owner: string | null }) {
  const t = useTexts(keyChangeTexts);
  if (owner === null) return null;
  return (
    <p className="hint">
      {t('onlyThisKey', { owner })}{' '}
      <SpaceLink page="members" search={{ member: owner }}>
        {t('allKeysOf', { owner })}
      </SpaceLink>
    </p>
  );
}
