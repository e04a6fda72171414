/** The control of each rule that one operation sets, by the kind of the rule. */

import {
  inputName,
  isRequired,
  type NamedRule,
  type RuleName,
  rulesOf,
  type SettingName,
} from '../../../../gateway/src/contract/administration/rules/find-rules.ts';
import type { Holder, RuleDeclaration } from '../../../../gateway/src/contract/administration/rules/rule.ts';
import { COUNT_MAX } from '../../../../gateway/src/contract/administration/words.ts';
import { LineField } from '../../parts/line-field.tsx';
import { printKst } from '../../text/times.ts';
import { ModelChoice } from './model-choice.tsx';
import style from './rule-fields.module.css';
import { type SayRule, useRuleTexts } from './say-rule.ts';

/** A row of a list with rules. */
export type RuleRow = Readonly<Partial<Record<RuleName, unknown>>>;
/** What is typed and chosen. Empty, and null for models: no limit. */
export type TypedRules = Readonly<Partial<Record<RuleName, string | readonly string[] | null>>>;

interface RuleFieldsProps {
  readonly holder: Holder;
  readonly setting: SettingName;
  readonly typed: TypedRules;
  onType(typed: TypedRules): void;
}

export function RuleFields({ holder, setting, typed, onType }: RuleFieldsProps) {
  const say = useRuleTexts(holder);
  const rules = rulesOf(setting);
  const fields = rules.map((rule) => (
    <RuleField
      key={rule.name}
      rule={rule}
      holder={holder}
      say={say}
      value={typed[rule.name] ?? null}
      onType={(value) => onType({ ...typed, [rule.name]: value })}
    />
  ));
  return rules.length === 1 ? fields : <div className={style.pair}>{fields}</div>;
}

interface RuleFieldProps {
  readonly rule: NamedRule;
  readonly holder: Holder;
  readonly say: SayRule;
  readonly value: string | readonly string[] | null;
  onType(value: string | readonly string[] | null): void;
}

function RuleField({ rule, holder, say, value, onType }: RuleFieldProps) {
  if (rule.kind === 'models') {
    const chosen = typeof value === 'string' ? null : value;
    return <ModelChoice chosen={chosen} onChoose={onType} />;
  }
  return (
    <LineField
      label={say(rule.name) ?? rule.name}
      hint={say(`${rule.name}_hint`) ?? say('emptyNoLimit')}
      {...inputOf(rule, holder)}
      value={typeof value === 'string' ? value : ''}
      onType={onType}
    />
  );
}

function inputOf(rule: RuleDeclaration, holder: Holder) {
  if (rule.kind === 'count') return { type: 'number', min: 1, max: COUNT_MAX, step: 1 } as const;
  if (rule.kind === 'amount') return { inputMode: 'decimal' } as const;
  if (rule.kind === 'tags') return {} as const;
  return { type: 'datetime-local', required: isRequired(rule, holder) } as const;
}

/** The rules of a row as they would be typed. */
export function typedRules(setting: SettingName, row: RuleRow): TypedRules {
  return Object.fromEntries(rulesOf(setting).map((rule) => [rule.name, typedValue(rule, row[rule.name])]));
}

function typedValue({ kind }: RuleDeclaration, value: unknown): string | readonly string[] | null {
  if (kind === 'models') return Array.isArray(value) ? value : null;
  if (value === null || value === undefined) return '';
  // `2026-11-16T14:13`, as the field of the browser has it.
  return kind === 'date' ? printKst(String(value)).slice(0, 16).replace(' ', 'T') : String(value);
}

/** What is sent. */
export function ruleInput(setting: SettingName, typed: TypedRules): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    rulesOf(setting).map((rule) => [inputName(rule), sentValue(rule, typed[rule.name] ?? null)]),
  );
}

function sentValue({ kind }: RuleDeclaration, value: string | readonly string[] | null): unknown {
  if (typeof value !== 'string') return value;
  const text = value.trim();
  if (text === '') return null;
  if (kind === 'count') return Number(text);
  return kind === 'date' ? `${text}:00+09:00` : text;
}
