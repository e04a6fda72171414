/** Finds the text of a rule that was asked for by its name. */
import type { Holder } from '../../../../gateway/src/contract/administration/rules/rule.ts';
import type { Values } from '../../text/define-texts.ts';
import { useTexts } from '../../text/say.ts';
import { type WordText, wordTexts } from '../../text/word-texts.ts';
import { ruleTexts } from './rule-texts.ts';

type RuleText = WordText | keyof (typeof ruleTexts)['catalogues']['en'];

/** The text for what the rule stands on, or else the one for all; null: there is none. */
export type SayRule = (key: string, values?: Values) => string | null;

export function useRuleTexts(holder: Holder): SayRule {
  const t = useTexts(ruleTexts);
  return (key, values) => {
    const found = [`${key}_${holder}`, key].find(isRuleText);
    return found === undefined ? null : t(found, values);
  };
}

function isRuleText(key: string): key is RuleText {
  return [ruleTexts, wordTexts].some(({ catalogues }) => Object.hasOwn(catalogues.en, key));
}
