/** The console API: signing in and out, and who one is. */
import { type Static, Type } from 'typebox';

const closed = { additionalProperties: false } as const;

const keep = Type.Optional(
  Type.Enum(['cookie', 'token'], {
    description:
      'How the session is kept: in a cookie of the browser (the default), or by the caller, who gets its token.',
  }),
);

export const SignInRequest = Type.Object(
  {
    email: Type.String({ minLength: 3, maxLength: 254, examples: ['kim@example.com'] }),
    password: Type.String({ minLength: 1, maxLength: 1_000 }),
    keep,
  },
  closed,
);
export type SignInRequest = Static<typeof SignInRequest>;

export const SignInByLinkRequest = Type.Object(
  {
    code: Type.String({ minLength: 1, maxLength: 200, description: 'What stands after the # of the link.' }),
    keep,
  },
  closed,
);
export type SignInByLinkRequest = Static<typeof SignInByLinkRequest>;

export const ConsoleSession = Type.Object({
  person: Type.Object({ email: Type.String(), nickname: Type.String(), operator: Type.Boolean() }),
  spaces: Type.Array(
    Type.Object({
      id: Type.String(),
      name: Type.String(),
      role: Type.Enum(['operator', 'admin', 'member']),
    }),
    { description: 'What the person sees now; an operator sees every space.' },
  ),
  csrf: Type.String({ description: 'Goes into x-csrf-token with every write that carries the cookie.' }),
  expires_at: Type.String({ format: 'date-time' }),
  token: Type.Optional(Type.String({ description: 'Only in the answer to a sign-in with keep "token".' })),
});
export type ConsoleSession = Static<typeof ConsoleSession>;

export const SignedOut = Type.Object({ signed_out: Type.Literal(true) });
export type SignedOut = Static<typeof SignedOut>;

export const ChangePasswordRequest = Type.Object(
  {
    current_password: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1_000,
        description: 'Left out only by a person who has no password yet.',
      }),
    ),
    new_password: Type.String({ minLength: 1, maxLength: 1_000, description: '10 to 200 characters.' }),
  },
  closed,
);
export type ChangePasswordRequest = Static<typeof ChangePasswordRequest>;

export const PasswordChanged = Type.Object({
  changed: Type.Literal(true),
  sessions_ended: Type.Integer({ description: 'Other sessions of the person; this one lives on.' }),
});
export type PasswordChanged = Static<typeof PasswordChanged>;
