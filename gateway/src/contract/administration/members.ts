/** Administration of the members of a space. */
import { Type } from 'typebox';
import { type AdminEndpoint, IN_SPACE, operation } from './admin-endpoint.ts';
import {
  count,
  Email,
  fields,
  KeepTokens,
  Label,
  orNull,
  request,
  shape,
  text,
  timeOf,
  units,
  withUse,
  yes,
} from './fields.ts';
import { filterFields } from './filter-fields.ts';
import { listQuery, pageOf } from './lists.ts';
import { ruleEndpoints } from './rules/rule-endpoints.ts';
import { shownRuleFields } from './rules/rule-shapes.ts';
import { lostRights } from './tokens.ts';
import { memberRoles } from './words.ts';

const member = {
  email: text('The e-mail address of the member.'),
  nickname: text('The display name.'),
  role: Type.Enum(memberRoles, { description: 'admin: administers the space.' }),
  ...shownRuleFields('member'),
  id: text('The id of the member.'),
};

export const AdminMember = shape('A member of a space.', member);

export const ChangedMember = shape('A member of a space, and what ended with the rights they lost.', {
  ...member,
  ...lostRights,
});

export const ListedMember = shape('A member and what they spent.', {
  ...member,
  spent: units('The units their keys spent in the current calendar month (KST).'),
  resets_at: timeOf('When the month, and with it the spending, starts again.'),
  active_keys: count('How many of their keys are active.'),
  last_active_at: orNull(timeOf('When one of their keys was last charged. Null: never.')),
  created_at: timeOf('When they became a member.'),
  unconfirmed: yes(
    'Whether they created their account with an invitation and nobody has confirmed the address yet.',
  ),
});

export const MemberPage = pageOf(ListedMember, 'The members, ordered by e-mail address.');

export const NicknameRequest = request('A new display name.', {
  nickname: withUse(Label, 'The display name in lists and reports.'),
});

const aMember = `${IN_SPACE}/members/{email}` as const;
const Role = Type.Enum(memberRoles, { description: 'admin: administers the space.' });

export const AddMemberRequest = request('A new member.', {
  email: Email,
  nickname: Type.Optional(withUse(Label, 'The display name. Default: the e-mail up to the @.')),
  role: Role,
});

export const MemberRoleRequest = request('The role of a member.', { role: Role, keep_tokens: KeepTokens });

export const memberEndpoints = {
  'members.list': {
    ...operation('GET', `${IN_SPACE}/members`, 'admin'),
    summary: 'List the members of a space.',
    query: listQuery(filterFields('members.list')),
    response: MemberPage,
    csv: true,
  },
  'members.add': {
    ...operation('POST', `${IN_SPACE}/members`, 'admin'),
    summary: 'Add a member to a space.',
    byPerson: { role: 'admin' },
    request: AddMemberRequest,
    response: AdminMember,
    problems: ['conflict'],
  },
  'members.role': {
    ...operation('PUT', `${aMember}/role`, 'admin'),
    summary: 'Set the role of a member.',
    byPerson: { role: 'admin', keep_tokens: true },
    request: MemberRoleRequest,
    response: ChangedMember,
    problems: ['conflict'],
  },
  'members.nickname': {
    ...operation('PUT', `${aMember}/nickname`, 'admin'),
    summary: 'Change the display name of a member.',
    request: NicknameRequest,
    response: AdminMember,
  },
  ...ruleEndpoints('member', aMember, AdminMember),
  'members.remove': {
    ...operation('DELETE', aMember, 'admin'),
    summary: 'Remove a member from a space.',
    byPerson: { keep_tokens: true },
    query: fields({ keep_tokens: KeepTokens }),
    response: ChangedMember,
    problems: ['conflict'],
  },
} as const satisfies Record<string, AdminEndpoint>;
