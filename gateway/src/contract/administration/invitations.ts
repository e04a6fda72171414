/** Invitations to a space by link. How one is accepted is part of signing in. */
import { Type } from 'typebox';
import { type AdminEndpoint, IN_SPACE, operation } from './admin-endpoint.ts';
import { Email, request, shape, text, timeOf, withUse } from './fields.ts';
import { listQuery, pageOf } from './lists.ts';
import { memberRoles } from './words.ts';

const Role = Type.Enum(memberRoles, { description: 'The role that the person will have.' });

const invitation = {
  id: text('The id of the invitation.'),
  email: text('The e-mail address that is invited.'),
  role: Role,
  expires_at: timeOf('When the link expires.'),
};

export const InvitationListed = shape('An invitation in a list.', {
  ...invitation,
  state: Type.Enum(['open', 'accepted', 'revoked', 'expired'], {
    description: 'Whether it can still be accepted, and why not.',
  }),
  created_by: text('Who created it.'),
  created_at: timeOf('When it was created.'),
});

export const InvitationPage = pageOf(InvitationListed, 'The invitations, newest first.');

export const NewInvitationRequest = request('Who is invited.', {
  email: withUse(Email, 'Only the person with this address can accept.'),
  role: Role,
});

export const InvitationCreated = shape('A new invitation, with the code of its link.', {
  ...invitation,
  code: text('The code of the link: the part after the #. It is shown only in this answer.'),
  path: text(
    'The path and code of the link on this server; send it to the person with the address of the server.',
  ),
});

export const InvitationRevoked = shape('An invitation that was revoked.', {
  id: invitation.id,
  email: invitation.email,
  revoked: Type.Literal(true, { description: 'Always true.' }),
});

export const invitationEndpoints = {
  'invitations.list': {
    ...operation('GET', `${IN_SPACE}/invitations`, 'admin'),
    summary: 'List the invitations to a space.',
    query: listQuery({}),
    response: InvitationPage,
  },
  'invitations.create': {
    ...operation('POST', `${IN_SPACE}/invitations`, 'admin'),
    summary: 'Invite someone to a space by link.',
    byPerson: true,
    request: NewInvitationRequest,
    response: InvitationCreated,
    problems: ['conflict'],
  },
  'invitations.revoke': {
    ...operation('DELETE', `${IN_SPACE}/invitations/{invitation}`, 'admin'),
    summary: 'Revoke an open invitation.',
    response: InvitationRevoked,
  },
} as const satisfies Record<string, AdminEndpoint>;
