/**
 * The file of `plan` and `apply`: what spaces, members, keys, grants, aliases, budgets and projects should be. A field that is left out
 * stays as it is; nothing is removed unless it says `state: absent`.
 */
import { type Static, type TOptional, type TSchema, Type } from 'typebox';
import { AddBudgetRequest } from '../../../contract/administration/budgets.ts';
import {
  Amount,
  Email,
  fields,
  KeyName,
  Label,
  ProjectId,
  ProjectIds,
  SpaceName,
  Time,
  whole,
} from '../../../contract/administration/fields.ts';
import {
  isRequired,
  planName,
  type RuleName,
  type RuleTable,
  rulesOn,
} from '../../../contract/administration/rules/find-rules.ts';
import type { Holder } from '../../../contract/administration/rules/rule.ts';
import { type InputSchemas, inputSchema } from '../../../contract/administration/rules/rule-shapes.ts';
import { KEY_DAYS_DEFAULT, keyKinds, memberRoles } from '../../../contract/administration/words.ts';
import { AddWorkloadRequest } from '../../../contract/administration/workloads.ts';

const KEY_DAYS = { min: 1, max: 3_650 };
/** Grants keep it in their note, so it has to leave room for one. */
const REF_CHARACTERS_MAX = 40;

const state = Type.Optional(
  Type.Enum(['present', 'absent'], { description: 'absent removes it. Default: present.' }),
);
const Day = Type.String({
  ...Time,
  description: 'A day (KST) such as 2026-12-31, or a time with its zone.',
});

const DayOrNone = Type.Union([Day, Type.Null()], {
  description: 'A day (KST) such as 2026-12-31, a time with its zone, or none for no end.',
});

type PlanName<Name extends RuleName> = RuleTable[Name] extends { plan: infer Plan extends string }
  ? Plan
  : Name;
type PlanSchema<Name extends RuleName> = RuleTable[Name]['kind'] extends 'date'
  ? typeof DayOrNone
  : InputSchemas[RuleTable[Name]['kind']];
type RuleFields<Of extends Holder> = {
  [Name in RuleName<Of> as PlanName<Name>]: TOptional<PlanSchema<Name>>;
};

function ruleFields<Of extends Holder>(holder: Of): RuleFields<Of> {
  const properties = rulesOn(holder).map((rule): [string, TSchema] => {
    const day = isRequired(rule, holder) ? Day : DayOrNone;
    return [planName(rule), Type.Optional(rule.kind === 'date' ? day : inputSchema(rule, holder))];
  });
  return Object.fromEntries(properties) as RuleFields<Of>;
}

const MemberEntry = fields({
  state,
  role: Type.Optional(Type.Enum(memberRoles)),
  nickname: Type.Optional(Label),
  ...ruleFields('member'),
});

const { key: _key, ...workloadFields } = AddWorkloadRequest.properties;

const WorkloadEntry = fields({ state, ...workloadFields });

const KeyEntry = fields({
  state,
  kind: Type.Optional(Type.Enum(keyKinds)),
  owner: Type.Optional(Email),
  days: Type.Optional(
    Type.Integer({
      ...whole(KEY_DAYS),
      description: `A whole number of days from 1 to 3650 that a new key is valid. Default: ${KEY_DAYS_DEFAULT}.`,
    }),
  ),
  workloads: Type.Optional(
    Type.Array(WorkloadEntry, {
      description: 'A list of workloads, each with issuer, subject and, where needed, claims and state.',
    }),
  ),
  ...ruleFields('key'),
});

const GrantEntry = fields({
  amount: Amount,
  kind: Type.Optional(Type.Enum(['paid', 'promo'])),
  expires: Type.Optional(Day),
  note: Type.Optional(Label),
});

const AliasEntry = fields({ state, model: Type.Optional(Label) });

const { name: _name, ...budgetFields } = AddBudgetRequest.properties;

const BudgetEntry = fields({
  state,
  ...(Type.Partial(Type.Object(budgetFields)).properties as {
    [Field in keyof typeof budgetFields]: TOptional<(typeof budgetFields)[Field]>;
  }),
});

const ProjectEntry = fields({ state, name: Type.Optional(Label) });

const ProjectIdsEntry = fields({ state });

const GrantRef = Type.String({
  pattern: `^[a-z0-9][a-z0-9._-]{0,${REF_CHARACTERS_MAX - 1}}$`,
  description: `The ref of a grant: 1 to ${REF_CHARACTERS_MAX} lower-case letters, digits, dots, hyphens or underscores.`,
});

const SpaceEntry = fields({
  ...ruleFields('space'),
  members: Type.Optional(section(MemberEntry)),
  keys: Type.Optional(section(KeyEntry)),
  grants: Type.Optional(section(GrantEntry)),
  aliases: Type.Optional(section(AliasEntry)),
  budgets: Type.Optional(section(BudgetEntry)),
  project_ids: Type.Optional(section(ProjectIdsEntry)),
  projects: Type.Optional(section(ProjectEntry)),
});

export const StateFile = fields({ spaces: section(SpaceEntry) });

export type StateFile = Static<typeof StateFile>;
export type SpaceEntry = Static<typeof SpaceEntry>;
export type MemberEntry = Static<typeof MemberEntry>;
export type KeyEntry = Static<typeof KeyEntry>;
export type WorkloadEntry = Static<typeof WorkloadEntry>;
export type GrantEntry = Static<typeof GrantEntry>;
export type AliasEntry = Static<typeof AliasEntry>;
export type BudgetEntry = Static<typeof BudgetEntry>;
export type ProjectIdsEntry = Static<typeof ProjectIdsEntry>;
export type ProjectEntry = Static<typeof ProjectEntry>;

/** What the names of each section may be. */
export const sectionNames: Readonly<Record<string, TSchema>> = {
  spaces: SpaceName,
  members: Email,
  keys: Label,
  grants: GrantRef,
  aliases: Label,
  budgets: KeyName,
  project_ids: ProjectIds,
  projects: ProjectId,
};

function section<Entry extends TSchema>(entry: Entry) {
  return Type.Record(Type.String(), entry);
}
