/** The table of rules in docs/administration.md, made from their declarations. */

import {
  allRules,
  groups,
  meaningOf,
  planName,
  settingOf,
} from '../src/contract/administration/rules/find-rules.ts';
import type { Holder } from '../src/contract/administration/rules/rule.ts';
import { replaceMarked } from './replace-marked.ts';

export function withRules(document: string): string {
  const rows = allRules.map((rule) => {
    const { name, setting } = rule;
    const holders = Object.keys(settingOf(setting).on) as Holder[];
    const { off } = settingOf(setting);
    const operations = holders.flatMap((holder) =>
      [setting, ...(off === undefined ? [] : [off.name])].map((one) => `\`${groups[holder]}.${one}\``),
    );
    const [first] = holders;
    const meaning = first === undefined ? '' : meaningOf(rule, first);
    return `| \`${name}\` | ${holders.join(', ')} | ${meaning} | ${operations.join(', ')} | \`${planName(rule)}\` |\n`;
  });
  const head = '| rule | stands on | what it is | set by | in a file |\n|---|---|---|---|---|\n';
  return replaceMarked(document, 'rules', `${head}${rows.join('')}`);
}
