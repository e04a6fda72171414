/** Finds rules and what they say of themselves: by what they stand on, and by the operation that sets them. */
import type { Holder, RuleDeclaration, RuleKind, Setting } from './rule.ts';
import { settings } from './rules.ts';

export type SettingTable = typeof settings;
export type SettingName = keyof SettingTable;
/** The settings of what the rules stand on. */
export type SettingOn<Of extends Holder> = {
  [Name in SettingName]: Of extends keyof SettingTable[Name]['on'] ? Name : never;
}[SettingName];

type Joined<Union> = (Union extends unknown ? (one: Union) => void : never) extends (all: infer All) => void
  ? All
  : never;
/** Every rule, by its name. */
export type RuleTable = Joined<SettingTable[SettingName]['rules']>;
export type RuleName<Of extends Holder = Holder> = {
  [Name in SettingName]: Of extends keyof SettingTable[Name]['on']
    ? keyof SettingTable[Name]['rules']
    : never;
}[SettingName];

export interface NamedRule extends RuleDeclaration {
  readonly name: RuleName;
  readonly setting: SettingName;
}

/** The group of operations of what rules stand on: `keys.limit`. */
export const groups = { key: 'keys', member: 'members', space: 'spaces' } as const satisfies Record<
  Holder,
  string
>;

/** In the order in which they are shown. */
export const allRules: readonly NamedRule[] = Object.entries<Setting>(settings).flatMap(
  ([setting, { rules }]) =>
    Object.entries(rules).map(([name, rule]) => ({
      ...rule,
      name: name as RuleName,
      setting: setting as SettingName,
    })),
);

export function settingOf(name: SettingName): Setting {
  return settings[name];
}

export function settingsOn<Of extends Holder>(holder: Of): SettingOn<Of>[] {
  return Object.entries<Setting>(settings)
    .filter(([, { on }]) => holder in on)
    .map(([name]) => name as SettingOn<Of>);
}

export function rulesOn(holder: Holder): NamedRule[] {
  return allRules.filter(({ setting }) => holder in settings[setting].on);
}

export function rulesOf(setting: SettingName): NamedRule[] {
  return allRules.filter((rule) => rule.setting === setting);
}

/** Names in requests and in the file of `plan`. */
export function inputName({ name, input = name }: NamedRule): string {
  return input;
}

export function planName({ name, plan = name }: NamedRule): string {
  return plan;
}

export function isRequired({ always = [] }: RuleDeclaration, holder: Holder): boolean {
  return always.includes(holder);
}

const OF_NULL: Readonly<Record<RuleKind, string>> = {
  amount: ' Null: no limit.',
  count: ' Null: no limit.',
  models: ' Null: all models of the space.',
  date: ' Null: never.',
  switch: '',
  tags: ' Null: none.',
};
const OF_ALL: Readonly<Record<Holder, string>> = {
  key: '',
  member: ' of all their keys together',
  space: ' of all its keys together',
};

/** What its value means, for the API and the documents. */
export function meaningOf(rule: RuleDeclaration, holder: Holder): string {
  const { kind, shown, typed } = rule;
  const meaning = shown?.[holder] ?? `The most ${typed}${OF_ALL[holder]}.`;
  return `${meaning}${isRequired(rule, holder) ? '' : OF_NULL[kind]}`;
}

/** What the API says of the operations that set rules, by their names. */
export const ruleDescriptions: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries<Setting>(settings).flatMap(([name, { on, off }]) =>
    Object.entries(on).flatMap(([holder, { description }]) => {
      const group = groups[holder as Holder];
      const opposite = off === undefined ? [] : [[`${group}.${off.name}`, off.description]];
      return [[`${group}.${name}`, description], ...opposite];
    }),
  ),
);

/** What it is where nothing was set. */
export function initialOf({ kind, initial = false }: { kind: RuleKind; initial?: boolean }): boolean | null {
  return kind === 'switch' ? initial : null;
}
