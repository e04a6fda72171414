/** Invitations to a space by link. How one is accepted is part of signing in. */
import { Type } from 'typebox';
import { type AdminEndpoint, IN_SPACE, operation } from './admin-endpoint.ts';
import { Email, fields, text, timeOf } from './fields.ts';
import { listQuery, pageOf } from './lists.ts';
import { memberRoles } from './words.ts';

const Role = Type.Enum(memberRoles, { description: 'The role that the person will have.' });

const invitation = {
  id: text('The id of the invitation.'),
  email: text('The e-mail address that is invited.'),
  role: Role,
  expires_at: timeOf('When the link expires.'),
};

export const InvitationListed = Type.Object({
  ...invitation,
  state: Type.Enum(['open', 'accepted', 'revoked', 'expired'], {
    description: 'Whether it can still be accepted, and why not.',
  }),
  created_by: text('Who created it.'),
  created_at: timeOf('When it was created.'),
});

export const invitationEndpoints = {
  'invitations.list': {
    ...operation('GET', `${IN_SPACE}/invitations`, 'admin'),
    summary: 'List invitations to a space, newest first.',
    query: listQuery({}),
    response: pageOf(InvitationListed, 'The invitations, newest first.'),
    problems: [],
  },
  'invitations.create': {
    ...operation('POST', `${IN_SPACE}/invitations`, 'admin'),
    summary: 'Invite someone to a space by link; the link is shown once.',
    request: fields({ email: Email, role: Role }),
    idempotent: true,
    response: Type.Object({
      ...invitation,
      code: text('The code of the link: the part after the #. It is shown only in this answer.'),
      path: text(
        'The path and code of the link on this server; send it to the person with the address of the server.',
      ),
    }),
    problems: ['conflict'],
  },
  'invitations.revoke': {
    ...operation('DELETE', `${IN_SPACE}/invitations/{invitation}`, 'admin'),
    summary: 'Revoke an invitation that was not accepted yet.',
    idempotent: true,
    response: Type.Object({
      id: invitation.id,
      email: invitation.email,
      revoked: Type.Literal(true, { description: 'Always true.' }),
    }),
    problems: [],
  },
} as const satisfies Record<string, AdminEndpoint>;
