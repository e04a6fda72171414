/** The console API: invitations to a space. */
import { type Static, Type } from 'typebox';

const closed = { additionalProperties: false } as const;

const code = Type.String({ minLength: 1, maxLength: 200, description: 'The part of the link after the #.' });

export const LookAtInvitationRequest = Type.Object(
  { code },
  { ...closed, description: 'The code of an invitation.' },
);
export type LookAtInvitationRequest = Static<typeof LookAtInvitationRequest>;

export const InvitationPreview = Type.Object(
  {
    space: Type.String({ description: 'The name of the space.' }),
    email: Type.String({ description: 'The e-mail address of the invited person.' }),
    role: Type.Enum(['admin', 'member'], { description: 'What the person will be able to do there.' }),
    needs_sign_in: Type.Boolean({
      description: 'Whether the person has to be signed in to accept; if not, they choose a password.',
    }),
    expires_at: Type.String({ format: 'date-time', description: 'When the invitation stops working.' }),
  },
  { description: 'What an invitation is for.' },
);
export type InvitationPreview = Static<typeof InvitationPreview>;

export const AcceptInvitationRequest = Type.Object(
  {
    code,
    password: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1_000,
        description: 'For someone who is new: 10 to 200 characters. Not read if the person exists.',
      }),
    ),
    nickname: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description: 'The display name of someone who is new. Default: the part of the address before the @.',
      }),
    ),
    keep: Type.Optional(
      Type.Enum(['cookie', 'token'], {
        description: 'How a new session is stored: in a browser cookie (default), or as a token.',
      }),
    ),
  },
  { ...closed, description: 'The acceptance of an invitation.' },
);
export type AcceptInvitationRequest = Static<typeof AcceptInvitationRequest>;

/** Where an invitation is accepted. The code is after the #, so that no server or proxy logs it. */
export function invitationPath(code: string): string {
  return `/console/sign-in#${code}`;
}
