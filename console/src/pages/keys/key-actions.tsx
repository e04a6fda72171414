/** The buttons of a key: those that the person may use. */

import {
  type SettingOn,
  settingsOn,
} from '../../../../gateway/src/contract/administration/rules/find-rules.ts';
import { useRole } from '../../session/session.ts';
import { useTexts } from '../../text/say.ts';
import { RuleActions } from '../../topics/rules/rule-actions.tsx';
import { isOrphan, type KeyView } from './key-view.ts';
import { keysTexts } from './texts.ts';

export type KeyAction = 'rotate' | SettingOn<'key'> | 'revoke';

export function KeyActions({ row, onChoose }: { row: KeyView; onChoose(action: KeyAction): void }) {
  const t = useTexts(keysTexts);
  const { isAdmin } = useRole();
  return (
    <RuleActions
      holder="key"
      row={row}
      actions={actionsOf(row, isAdmin)}
      danger="revoke"
      labelOf={(action: 'rotate' | 'revoke') => t(action)}
      onChoose={onChoose}
    />
  );
}

function actionsOf(row: KeyView, isAdmin: boolean): KeyAction[] {
  const canSwitch = row.disabled || isOrphan(row) ? isAdmin && !isOrphan(row) : true;
  // A management key calls no models.
  const rules = settingsOn('key').filter(
    (setting) => setting !== 'disable' && (row.kind !== 'management' || setting === 'expire'),
  );
  return ['rotate', ...(canSwitch ? (['disable'] as const) : []), ...(isAdmin ? rules : []), 'revoke'];
}
