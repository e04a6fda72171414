/** The commands that set rules, such as `keys limit`: made from the declarations of the rules. */
import type { InputOf, OperationName, ResultOf } from '../../contract/administration/admin-endpoints.ts';
import {
  groups,
  inputName,
  isRequired,
  type NamedRule,
  rulesOf,
  type SettingName,
  settingOf,
  settingsOn,
} from '../../contract/administration/rules/find-rules.ts';
import type { Holder, RuleKind, RuleOperation } from '../../contract/administration/rules/rule.ts';
import type { RuleOperationName } from '../../contract/administration/rules/rule-endpoints.ts';
import { type Argument, argument, type CliCommand, type CommonFlags, option, type Read } from '../command.ts';
import { printFields } from '../print.ts';
import { UsageError } from '../usage-error.ts';
import { amount, listOrAll, onOff, orNone, timeOrNow, wholeNumber } from '../words.ts';
import { adminCommand, commandName } from './admin-command.ts';
import { space } from './administer.ts';

interface Named {
  /** What names it, as an argument. */
  readonly argument: Readonly<Record<string, Argument<string>>>;
  /** Its name in examples. */
  readonly example: string;
}

/** `note`: what is printed besides the answer. */
export function ruleCommands(
  holder: Holder,
  { argument: named, example }: Named,
  note?: (setting: SettingName, answer: ResultOf<RuleOperationName>) => string | null,
): CliCommand[] {
  return settingsOn(holder).flatMap((setting) => {
    const { on, off } = settingOf(setting);
    const { summary, help = sentence(summary), examples } = on[holder] as RuleOperation;
    const made = (operation: string, text: string): CliCommand => {
      const name = commandName(operation);
      const typed = off === undefined ? rulesOf(setting) : [];
      const positions = typed.filter(({ option: flag }) => flag === undefined);
      return adminCommand(`${groups[holder]}.${operation}` as OperationName, {
        help: text,
        examples: examples.map((words) => `tollgate ${groups[holder]} ${name} ${example} ${words}`.trimEnd()),
        arguments: {
          ...named,
          ...Object.fromEntries(positions.map((rule) => [inputName(rule), typedArgument(rule, holder)])),
        },
        options: { ...(holder !== 'space' && { space }), ...optionsOf(typed) },
        input: (given) => ruleInput(setting, given) as InputOf<OperationName>,
        print(answer, flags: CommonFlags) {
          printFields(answer, flags);
          const line = note?.(setting, answer as ResultOf<RuleOperationName>) ?? null;
          if (!flags.json && line !== null) process.stderr.write(`${line}\n`);
        },
      });
    };
    const commands = [made(setting, help)];
    return off === undefined ? commands : [...commands, made(off.name, sentence(off.summary))];
  });
}

interface Words {
  readonly form: string;
  readonly read: Read<unknown>;
  /** What its help says after what is typed. */
  readonly ends: string;
}

const words: Readonly<Record<RuleKind, Words>> = {
  amount: { form: 'amount|none', read: orNone(amount), ends: ', or none to remove the limit' },
  count: { form: 'number|none', read: orNone(wholeNumber), ends: ', or none to remove the limit' },
  models: { form: 'codes|all', read: listOrAll, ends: '' },
  date: { form: 'date|none', read: orNone(timeOrNow), ends: ', now, or none to remove the end' },
  switch: { form: 'on|off', read: onOff, ends: '' },
  tags: { form: 'tags|none', read: orNone((text) => text), ends: ', or none to remove them' },
};

function wordsOf(rule: NamedRule, holder: Holder): Words {
  if (rule.kind !== 'date' || !isRequired(rule, holder)) return words[rule.kind];
  return { form: 'date', read: timeOrNow, ends: ', or now' };
}

function typedArgument(rule: NamedRule, holder: Holder): Argument<unknown> {
  const { form, read, ends } = wordsOf(rule, holder);
  return argument(`<${form}>`, `${rule.typed}${ends}`, read);
}

function optionsOf(rules: readonly NamedRule[]) {
  const options = rules.flatMap((rule) => {
    const { form, read, ends } = words[rule.kind];
    return rule.option === undefined
      ? []
      : [[rule.option, option(`<${form}>`, `${rule.typed}${ends}`, { read })] as const];
  });
  return Object.fromEntries(options);
}

/** The options have shorter names than the fields of the request. */
function ruleInput(setting: SettingName, given: Readonly<Record<string, unknown>>): object {
  const rules = rulesOf(setting).flatMap((rule) =>
    rule.option === undefined ? [] : [{ rule, flag: rule.option }],
  );
  if (rules.length > 0 && rules.every(({ flag }) => given[flag] === undefined))
    throw new UsageError(
      `Nothing to change: give ${rules.map(({ flag }) => `--${flag} N`).join(', ')} or both; none removes a limit.`,
    );
  const flags = new Set(rules.map(({ flag }) => flag));
  return {
    ...Object.fromEntries(Object.entries(given).filter(([name]) => !flags.has(name))),
    ...Object.fromEntries(rules.map(({ rule, flag }) => [inputName(rule), given[flag]])),
  };
}

/** As help has it: without the capital and the full stop. */
function sentence(text: string): string {
  return `${text.charAt(0).toLowerCase()}${text.slice(1, -1)}`;
}
