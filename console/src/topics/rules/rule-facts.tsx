/** The rules of a key, a member or a space, as they are. */

import {
  type NamedRule,
  type RuleName,
  rulesOn,
} from '../../../../gateway/src/contract/administration/rules/find-rules.ts';
import type { Holder } from '../../../../gateway/src/contract/administration/rules/rule.ts';
import { Fact } from '../../parts/facts.tsx';
import { Moment } from '../../parts/moment.tsx';
import { UnitAmount } from '../../parts/unit-amount.tsx';
import { currentLanguage } from '../../text/language.ts';
import { printCount } from '../../text/times.ts';
import type { RuleRow } from './rule-fields.tsx';
import { type SayRule, useRuleTexts } from './say-rule.ts';

/** `shown`: those that stand elsewhere on the page. */
export function RuleFacts(props: { holder: Holder; row: RuleRow; shown: readonly RuleName[] }) {
  const { holder, row, shown } = props;
  const say = useRuleTexts(holder);
  return rulesOn(holder)
    .filter(({ name }) => !shown.includes(name))
    .map((rule) => (
      <Fact key={rule.name} name={say(rule.name) ?? rule.name}>
        <RuleValue rule={rule} value={row[rule.name] ?? null} say={say} />
      </Fact>
    ));
}

function RuleValue({ rule, value, say }: { rule: NamedRule; value: unknown; say: SayRule }) {
  if (rule.kind === 'switch') {
    const state = value === true ? 'on' : 'off';
    return say(`${rule.name}_is_${state}`) ?? say(state);
  }
  if (value === null)
    return say(rule.kind === 'models' ? 'allModels' : rule.kind === 'date' ? 'never' : 'noLimit');
  if (Array.isArray(value)) return value.join(', ');
  if (typeof value === 'number') return printCount(value, currentLanguage());
  const text = String(value);
  return rule.kind === 'date' ? <Moment at={text} /> : <UnitAmount value={text} />;
}
