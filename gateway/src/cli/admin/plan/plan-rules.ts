/** Compares the rules of a key, a member or a space with the file. Pure. */

import {
  groups,
  initialOf,
  inputName,
  type NamedRule,
  planName,
  type RuleName,
  rulesOf,
  rulesOn,
  settingOf,
  settingsOn,
} from '../../../contract/administration/rules/find-rules.ts';
import type { Holder } from '../../../contract/administration/rules/rule.ts';
import { type Instant, kstOf } from '../../../kernel/time.ts';
import { type ChangeStep, differing, type FieldChange, given } from './change.ts';
import type { FieldPath, Mistake } from './read-state-file.ts';

export interface RulePlan {
  /** Those that differ. */
  readonly changed: readonly FieldChange[];
  /** All that the entry has, for something new. */
  readonly given: readonly FieldChange[];
  readonly steps: readonly ChangeStep[];
  readonly mistakes: readonly Mistake[];
}

interface RulesAt {
  /** What names it in operations. */
  readonly named: Readonly<Record<string, string>>;
  readonly path: FieldPath;
  readonly now: Instant;
}

type Values = Readonly<Record<string, unknown>>;

/** `current`: its rules as they are now. Those that it does not have are the initial ones. */
export function planRules(
  holder: Holder,
  entry: Values,
  current: Readonly<Partial<Record<RuleName, unknown>>>,
  { named, path, now }: RulesAt,
): RulePlan {
  const rules = rulesOn(holder);
  const wanted = fieldsOf(rules, (rule) => comparable(rule, entry[planName(rule)]));
  const before = fieldsOf(rules, (rule) => current[rule.name] ?? initialOf(rule));
  const names = rules.map(planName);
  const changed = differing(wanted, before, names);
  const ended = rules.filter(({ kind }) => kind === 'date').map(planName);
  return {
    changed,
    given: given(wanted, names),
    steps: stepsOf(holder, new Map(changed.map(({ field, after }) => [field, after])), named),
    mistakes: changed
      .filter(
        ({ field, after }) => ended.includes(field) && after !== null && Date.parse(String(after)) <= now,
      )
      .map(({ field, after }) => ({ path: [...path, field], message: `${after} is in the past.` })),
  };
}

function stepsOf(
  holder: Holder,
  after: ReadonlyMap<string, unknown>,
  named: Readonly<Record<string, string>>,
): ChangeStep[] {
  return settingsOn(holder).flatMap((setting): ChangeStep[] => {
    const changed = rulesOf(setting).filter((rule) => after.has(planName(rule)));
    const [first] = changed;
    if (first === undefined) return [];
    const { off } = settingOf(setting);
    if (off !== undefined)
      return [step(holder, after.get(planName(first)) === true ? setting : off.name, named)];
    const set = changed.map((rule) => [inputName(rule), after.get(planName(rule))]);
    return [step(holder, setting, { ...named, ...Object.fromEntries(set) })];
  });
}

function step(holder: Holder, operation: string, input: Values): ChangeStep {
  return { operation: `${groups[holder]}.${operation}`, input } as ChangeStep;
}

function fieldsOf(rules: readonly NamedRule[], read: (rule: NamedRule) => unknown): Values {
  return Object.fromEntries(rules.map((rule) => [planName(rule), read(rule)]));
}

/** Times are shown to the second, in Korean time. */
function comparable({ kind }: NamedRule, value: unknown): unknown {
  return kind === 'date' && typeof value === 'string' ? kstOf(Date.parse(value)) : value;
}
