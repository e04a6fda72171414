/** The buttons of a key, a member or a space: the operations that set its rules, and those of its page. */
import {
  type SettingOn,
  settingsOn,
} from '../../../../gateway/src/contract/administration/rules/find-rules.ts';
import type { Holder } from '../../../../gateway/src/contract/administration/rules/rule.ts';
import { ActionBar } from '../../parts/action-bar.tsx';
import { isOn } from './rule-dialog.tsx';
import type { RuleRow } from './rule-fields.tsx';
import { useRuleTexts } from './say-rule.ts';

interface RuleActionsProps<On extends Holder, Own extends string> {
  readonly holder: On;
  readonly row: RuleRow;
  readonly actions: ReadonlyArray<Own | SettingOn<On>>;
  readonly danger: Own | SettingOn<On>;
  /** What the button of an operation says that sets no rule. */
  labelOf(action: Own): string;
  onChoose(action: Own | SettingOn<On>): void;
}

export function RuleActions<On extends Holder, Own extends string>(props: RuleActionsProps<On, Own>) {
  const { holder, row, actions, danger, labelOf, onChoose } = props;
  const say = useRuleTexts(holder);
  const isRule = (action: Own | SettingOn<On>): action is SettingOn<On> =>
    settingsOn(holder).some((one) => one === action);
  /** What the button says: what a switch becomes. */
  const sayRule = (setting: SettingOn<On>): string =>
    say(`${setting}_set`) ?? say(`${setting}_${isOn(setting, row) ? 'off' : 'on'}`) ?? setting;
  return (
    <ActionBar
      actions={actions}
      danger={danger}
      labelOf={(action) => (isRule(action) ? sayRule(action) : labelOf(action))}
      onChoose={onChoose}
    />
  );
}
