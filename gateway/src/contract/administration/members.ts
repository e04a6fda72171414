/** Administration of the members of a space. */
import { Type } from 'typebox';
import { type AdminEndpoint, IN_SPACE, operation } from './admin-endpoint.ts';
import { count, Email, fields, Label, MonthLimit, orNull, text, timeOf, units } from './fields.ts';
import { listQuery, pageOf } from './lists.ts';
import { memberRoles } from './words.ts';

export const AdminMember = Type.Object({
  email: text('The e-mail address of the member.'),
  nickname: text('The display name.'),
  role: Type.Enum(memberRoles, { description: 'admin: administers the space.' }),
  month_limit: orNull(
    units('The most units all their keys together may spend per calendar month (KST). Null: no limit.'),
  ),
  id: text('The id of the member.'),
});

const ListedMember = Type.Object({
  ...AdminMember.properties,
  spent: units('The units their keys spent in the current calendar month (KST).'),
  resets_at: timeOf('When the month, and with it the spending, starts again.'),
  active_keys: count('How many of their keys are active.'),
  last_active_at: orNull(timeOf('When one of their keys was last charged. Null: never.')),
  created_at: timeOf('When they became a member.'),
});

const aMember = `${IN_SPACE}/members/{email}` as const;
const Role = Type.Enum(memberRoles, { description: 'admin or member.' });

export const memberEndpoints = {
  'members.list': {
    ...operation('GET', `${IN_SPACE}/members`, 'admin'),
    summary: 'List the members of a space with their roles, limits and spending of this month.',
    query: listQuery({
      role: Type.Optional(Role),
      search: Type.Optional(Label),
    }),
    response: pageOf(ListedMember, 'The members, ordered by e-mail address.'),
    csv: true,
    problems: [],
  },
  'members.add': {
    ...operation('POST', `${IN_SPACE}/members`, 'admin'),
    summary: 'Add a member, who signs in with their own account.',
    request: fields({
      email: Email,
      nickname: Type.Optional(
        Type.String({
          ...Label,
          description: '1 to 120 characters on one line. Default: the e-mail up to the @.',
        }),
      ),
      role: Role,
    }),
    idempotent: true,
    response: AdminMember,
    problems: ['conflict'],
  },
  'members.role': {
    ...operation('PUT', `${aMember}/role`, 'admin'),
    summary: 'Make a member an administrator of the space, or an ordinary member.',
    request: fields({ role: Role }),
    idempotent: true,
    response: AdminMember,
    problems: [],
  },
  'members.nickname': {
    ...operation('PUT', `${aMember}/nickname`, 'admin'),
    summary: 'Change the display name of a member.',
    request: fields({ nickname: Label }),
    idempotent: true,
    response: AdminMember,
    problems: [],
  },
  'members.limit': {
    ...operation('PUT', `${aMember}/limit`, 'admin'),
    summary: 'Limit the units a member may spend per calendar month (KST), with all keys together.',
    request: fields({ month_limit: MonthLimit }),
    idempotent: true,
    response: AdminMember,
    problems: [],
  },
  'members.remove': {
    ...operation('DELETE', aMember, 'admin'),
    summary: 'Remove a member; their personal keys stop working.',
    idempotent: true,
    response: AdminMember,
    problems: [],
  },
} as const satisfies Record<string, AdminEndpoint>;
