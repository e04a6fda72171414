/** The dialog of an action on a key. */

import { useSpace } from '../../addresses/use-space.ts';
import { useChange } from '../../api/use-operation.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { useTexts } from '../../text/say.ts';
import { keyChangeTexts } from './change-texts.ts';
import type { KeyAction } from './key-actions.tsx';
import { KeyRuleDialog } from './key-rule-dialog.tsx';
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
