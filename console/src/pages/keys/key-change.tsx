/** The dialog of an action on a key. */
import { useChange } from '../../api/use-operation.ts';
import { useRole, useSpace } from '../../app/session.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { useTexts } from '../../text/define-texts.ts';
import { keyChangeTexts } from './change-texts.ts';
import type { KeyAction } from './key-actions.tsx';
import type { KeyChangeProps } from './key-view.ts';
import { RotateDialog } from './rotate-dialog.tsx';
import { ExpiryDialog, KeyLimitDialog, ModelsDialog, RateDialog } from './rule-dialogs.tsx';

export function KeyChange({
  action,
  onRevoked,
  ...props
}: KeyChangeProps & { action: KeyAction; onRevoked(): void }) {
  switch (action) {
    case 'rotate':
      return <RotateDialog {...props} />;
    case 'expiry':
      return <ExpiryDialog {...props} />;
    case 'setLimit':
      return <KeyLimitDialog {...props} />;
    case 'setRate':
      return <RateDialog {...props} />;
    case 'setModels':
      return <ModelsDialog {...props} />;
    case 'disable':
      return <DisableDialog {...props} />;
    case 'enable':
      return <EnableDialog {...props} />;
    default:
      return <RevokeDialog {...props} onRevoked={onRevoked} />;
  }
}

function DisableDialog({ row: { name }, onClose }: KeyChangeProps) {
  const t = useTexts(keyChangeTexts);
  const { isAdmin } = useRole();
  const [space, disable] = [useSpace(), useChange('keys.disable')];
  return (
    <ConfirmDialog
      title={t('disableTitle', { name })}
      confirm={t('disable')}
      run={() => disable.mutateAsync({ space, name })}
      onClose={onClose}
    >
      <p>{t('disableText')}</p>
      {!isAdmin && <p>{t('disableOwn')}</p>}
    </ConfirmDialog>
  );
}

function EnableDialog({ row: { name }, onClose }: KeyChangeProps) {
  const t = useTexts(keyChangeTexts);
  const [space, enable] = [useSpace(), useChange('keys.enable')];
  return (
    <ConfirmDialog
      title={t('enableTitle', { name })}
      confirm={t('enable')}
      run={() => enable.mutateAsync({ space, name })}
      onClose={onClose}
    >
      {t('enableText')}
    </ConfirmDialog>
  );
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
