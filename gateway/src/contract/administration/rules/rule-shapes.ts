/** The shapes that follow from the rules: what answers show, and what requests take. */
import {
  type Static,
  type TArray,
  type TBoolean,
  type TInteger,
  type TNull,
  type TObject,
  type TOptional,
  type TSchema,
  type TString,
  type TUnion,
  Type,
} from 'typebox';
import {
  AllowedModels,
  AmountOrNone,
  CountOrNone,
  count,
  orNull,
  request,
  Switch,
  TagsOrNone,
  Time,
  text,
  timeOf,
  units,
  withUse,
  yes,
} from '../fields.ts';
import {
  inputName,
  isRequired,
  meaningOf,
  type NamedRule,
  type RuleName,
  type RuleTable,
  rulesOf,
  rulesOn,
  type SettingName,
  type SettingTable,
  settingOf,
  settingsOn,
} from './find-rules.ts';
import type { Holder, RuleBody, RuleKind, RuleOperation } from './rule.ts';

const End = Type.Union([Type.Literal('now'), Time], {
  description: 'A time with its zone, such as 2026-12-31T18:00:00+09:00, or "now".',
});

const EndOrNone = Type.Union([Type.Literal('now'), Time, Type.Null()], {
  description: 'A time with its zone, such as 2026-12-31T18:00:00+09:00, "now", or null for no end.',
});

interface ShownSchemas {
  amount: TUnion<[TString, TNull]>;
  count: TUnion<[TInteger, TNull]>;
  models: TUnion<[TArray<TString>, TNull]>;
  date: TUnion<[TString, TNull]>;
  switch: TBoolean;
  tags: TUnion<[TString, TNull]>;
}

/** What a rule is set to, by its kind. A date that always is one cannot be null. */
export interface InputSchemas {
  amount: typeof AmountOrNone;
  count: typeof CountOrNone;
  models: typeof AllowedModels;
  date: typeof EndOrNone;
  switch: typeof Switch;
  tags: typeof TagsOrNone;
}

type IsAlways<Name extends RuleName, Of extends Holder> = RuleTable[Name] extends {
  always: ReadonlyArray<infer On>;
}
  ? Of extends On
    ? true
    : false
  : false;

type ShownOf<Name extends RuleName, Of extends Holder> =
  IsAlways<Name, Of> extends true ? TString : ShownSchemas[RuleTable[Name]['kind']];

type InputOf<Name extends RuleName, Of extends Holder> =
  IsAlways<Name, Of> extends true ? typeof End : InputSchemas[RuleTable[Name]['kind']];

type InputName<Name extends RuleName> = RuleTable[Name] extends { input: infer Input extends string }
  ? Input
  : Name;

/** The rules in answers. */
export type ShownRules<Of extends Holder> = { [Name in RuleName<Of>]: ShownOf<Name, Of> };

export type ShownRuleValues<Of extends Holder> = { [Name in RuleName<Of>]: Static<ShownOf<Name, Of>> };

type RulesIn<Name extends SettingName> = keyof SettingTable[Name]['rules'] & RuleName;
/** Each may be left out where one operation sets several. */
type IsAlone<One, All = One> = One extends unknown ? ([All] extends [One] ? true : false) : never;
type Body<Name extends SettingName, Of extends Holder> = {
  [Rule in RulesIn<Name> as InputName<Rule>]: IsAlone<RulesIn<Name>> extends true
    ? InputOf<Rule, Of>
    : TOptional<InputOf<Rule, Of>>;
};

/** The body of a request. */
export type RuleRequest<Name extends SettingName, Of extends Holder> = TObject<Body<Name, Of>>;

const shownAs: { [Kind in RuleKind]: (description: string) => ShownSchemas[Kind] } = {
  amount: (description) => orNull(units(description)),
  count: (description) => orNull(count(description)),
  models: (description) => Type.Union([Type.Array(Type.String()), Type.Null()], { description }),
  date: (description) => orNull(timeOf(description)),
  switch: yes,
  tags: (description) => orNull(text(description)),
};

export function shownRuleFields<Of extends Holder>(holder: Of): ShownRules<Of> {
  const fields = rulesOn(holder).map((rule) => {
    const description = meaningOf(rule, holder);
    const schema = isRequired(rule, holder) ? timeOf(description) : shownAs[rule.kind](description);
    return [rule.name, schema];
  });
  return Object.fromEntries(fields) as ShownRules<Of>;
}

/** What a rule is set to. */
export function inputSchema(rule: NamedRule, holder: Holder): TSchema {
  const { kind, use = meaningOf(rule, holder) } = rule;
  const schemas: { [Kind in RuleKind]: TSchema } = {
    amount: AmountOrNone,
    count: CountOrNone,
    models: AllowedModels,
    date: isRequired(rule, holder) ? End : EndOrNone,
    switch: withUse(Switch, use),
    tags: TagsOrNone,
  };
  return schemas[kind];
}

function requestOf(name: SettingName, holder: Holder): [name: string, body: TObject] {
  const { body, on } = settingOf(name);
  const { name: shape, about } = ((on[holder] as RuleOperation).body ?? body) as RuleBody;
  const rules = rulesOf(name);
  const fields = rules.map((rule): [string, TSchema] => {
    const schema = inputSchema(rule, holder);
    return [inputName(rule), rules.length === 1 ? schema : Type.Optional(schema)];
  });
  return [shape, request(about, Object.fromEntries(fields))];
}

/** The body of the request that sets rules. */
export function ruleRequest<Name extends SettingName, Of extends Holder>(
  name: Name,
  holder: Of,
): RuleRequest<Name, Of> {
  return requestOf(name, holder)[1] as unknown as RuleRequest<Name, Of>;
}

/** All of them, by the names of their schemas. */
export const ruleRequests: Readonly<Record<string, TSchema>> = Object.fromEntries(
  (['key', 'member', 'space'] as const).flatMap((holder) =>
    settingsOn(holder)
      .filter((name) => settingOf(name).off === undefined)
      .map((name) => requestOf(name, holder)),
  ),
);
