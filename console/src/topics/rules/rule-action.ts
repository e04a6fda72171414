/** The button of each operation that sets rules. */

import type { SettingName } from '../../../../gateway/src/contract/administration/rules/find-rules.ts';
import type { Holder } from '../../../../gateway/src/contract/administration/rules/rule.ts';
import { isOn } from './rule-dialog.tsx';
import type { RuleRow } from './rule-fields.tsx';
import { useRuleTexts } from './say-rule.ts';

/** What the button says: what a switch becomes. */
export function useRuleAction(holder: Holder, row: RuleRow): (setting: SettingName) => string {
  const say = useRuleTexts(holder);
  return (setting) =>
    say(`${setting}_set`) ?? say(`${setting}_${isOn(setting, row) ? 'off' : 'on'}`) ?? setting;
}
