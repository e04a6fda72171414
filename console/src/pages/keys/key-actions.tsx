/** The buttons of a key: those that the person may use. */
import { useRole } from '../../app/session.ts';
import { ActionBar } from '../../parts/action-bar.tsx';
import { useTexts } from '../../text/define-texts.ts';
import { isOrphan, type KeyView } from './key-view.ts';
import { keysTexts } from './texts.ts';

export type KeyAction =
  | 'rotate'
  | 'disable'
  | 'enable'
  | 'expiry'
  | 'setLimit'
  | 'setRate'
  | 'setModels'
  | 'revoke';

export function KeyActions({ row, onChoose }: { row: KeyView; onChoose(action: KeyAction): void }) {
  const t = useTexts(keysTexts);
  const { isAdmin } = useRole();
  return <ActionBar actions={actionsOf(row, isAdmin)} danger="revoke" labelOf={t} onChoose={onChoose} />;
}

function actionsOf(row: KeyView, isAdmin: boolean): KeyAction[] {
  const rules: KeyAction[] = row.kind === 'management' ? [] : ['setLimit', 'setRate', 'setModels'];
  const enables: KeyAction[] = isAdmin && !isOrphan(row) ? ['enable'] : [];
  return [
    'rotate',
    ...(row.disabled || isOrphan(row) ? enables : (['disable'] as const)),
    ...(isAdmin ? (['expiry', ...rules] as const) : []),
    'revoke',
  ];
}
