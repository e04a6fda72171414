/** The rules of a key, a member or a space, as they are. */

import {
  type NamedRule,
  type RuleName,
  rulesOn,
} from '../../../../gateway/src/contract/administration/rules/find-rules.ts';
import type { Holder } from '../../../../gateway/src/contract/administration/rules/rule.ts';
import { Fact } from '../../parts/facts.tsx';
import { Meter } from '../../parts/meter.tsx';
import { Shown } from '../../parts/shown.tsx';
import { useTexts } from '../../text/say.ts';
import { wordTexts } from '../../text/word-texts.ts';
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
    return say(
      rule.kind === 'models'
        ? 'allModels'
        : rule.kind === 'date'
          ? 'never'
          : rule.kind === 'tags'
            ? 'noTags'
            : 'noLimit',
    );
  if (rule.kind === 'tags') return String(value);
  if (Array.isArray(value)) return value.join(', ');
  if (typeof value === 'number') return <Shown as="count" value={value} />;
  return <Shown as={rule.kind === 'date' ? 'moment' : 'units'} value={String(value)} />;
}

/** What was spent of the limit of the month, and when that starts again. */
export function SpentFacts({
  row,
}: {
  row: { spent: string; month_limit: string | null; resets_at: string };
}) {
  const t = useTexts(wordTexts);
  return (
    <>
      <Fact name={t('spent')}>
        <Meter spent={row.spent} limit={row.month_limit} />
        {row.month_limit === null && <span className="hint"> ({t('noLimit')})</span>}
      </Fact>
      <Fact name={t('resets')} as="moment" value={row.resets_at} />
    </>
  );
}
