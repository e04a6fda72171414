/** The buttons of a key: those that the person may use. */

import {
  type SettingOn,
  settingsOn,
} from '../../../../gateway/src/contract/administration/rules/find-rules.ts';
import { ActionBar } from '../../parts/action-bar.tsx';
import { useRole } from '../../session/session.ts';
import { useTexts } from '../../text/use-texts.ts';
import { useRuleAction } from '../../topics/rules/rule-action.ts';
import { isOrphan, type KeyView } from './key-view.ts';
import { keysTexts } from './texts.ts';

export type KeyAction = 'rotate' | SettingOn<'key'> | 'revoke';

export function KeyActions({ row, onChoose }: { row: KeyView; onChoose(action: KeyAction): void }) {
  const t = useTexts(keysTexts);
  const labelOf = useRuleAction('key', row);
  const { isAdmin } = useRole();
  return (
    <ActionBar
      actions={actionsOf(row, isAdmin)}
      danger="revoke"
      labelOf={(action) => (action === 'rotate' || action === 'revoke' ? t(action) : labelOf(action))}
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
