/** The console API: sign-in, sign-out and the signed-in person. */
import { type Static, Type } from 'typebox';

const closed = { additionalProperties: false } as const;

const keep = Type.Optional(
  Type.Enum(['cookie', 'token'], {
    description:
      'How the session is stored: in a browser cookie (default), or as a token that the caller keeps.',
  }),
);

export const SignInRequest = Type.Object(
  {
    email: Type.String({
      minLength: 3,
      maxLength: 254,
      description: 'The e-mail address of your account.',
      examples: ['kim@example.com'],
    }),
    password: Type.String({ minLength: 1, maxLength: 1_000, description: 'Your password.' }),
    keep,
  },
  { ...closed, description: 'A sign-in with a password.' },
);
export type SignInRequest = Static<typeof SignInRequest>;

export const SignInByLinkRequest = Type.Object(
  {
    code: Type.String({ minLength: 1, maxLength: 200, description: 'The part of the link after the #.' }),
    keep,
  },
  { ...closed, description: 'A sign-in with a link.' },
);
export type SignInByLinkRequest = Static<typeof SignInByLinkRequest>;

export const ConsoleSession = Type.Object(
  {
    person: Type.Object(
      {
        email: Type.String({ description: 'The e-mail address.' }),
        nickname: Type.String({ description: 'The display name.' }),
        operator: Type.Boolean({
          description: 'Whether the person runs the installation and sees every space.',
        }),
      },
      { description: 'The person who is signed in.' },
    ),
    spaces: Type.Array(
      Type.Object({
        id: Type.String({ description: 'The id of the space.' }),
        name: Type.String({ description: 'The name of the space.' }),
        role: Type.Enum(['operator', 'admin', 'member'], { description: 'What the person may do there.' }),
      }),
      { description: 'The spaces that the person can see; an operator sees all.' },
    ),
    csrf: Type.String({ description: 'Send it as x-csrf-token with every write that uses the cookie.' }),
    expires_at: Type.String({ format: 'date-time', description: 'When the session ends.' }),
    token: Type.Optional(Type.String({ description: 'Only after a sign-in with keep "token".' })),
  },
  { description: 'A session and its person.' },
);
export type ConsoleSession = Static<typeof ConsoleSession>;

export const VisitorSession = Type.Object(
  {
    session: Type.Union([ConsoleSession, Type.Null()], {
      description: 'The session of the request. Null: nobody is signed in, or the session has ended.',
    }),
  },
  { description: 'Who visits.' },
);
export type VisitorSession = Static<typeof VisitorSession>;

export const SignedOut = Type.Object(
  {
    signed_out: Type.Literal(true, { description: 'Always true.' }),
    sign_out_url: Type.Optional(
      Type.String({
        format: 'uri',
        description:
          'Open it to sign out at the issuer too. Only after a sign-in through an issuer that offers it.',
      }),
    ),
  },
  { description: 'The session has ended.' },
);
export type SignedOut = Static<typeof SignedOut>;

export const ChangePasswordRequest = Type.Object(
  {
    current_password: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1_000,
        description: 'Required unless the person has no password yet.',
      }),
    ),
    new_password: Type.String({ minLength: 1, maxLength: 1_000, description: '10 to 200 characters.' }),
  },
  { ...closed, description: 'A new password.' },
);
export type ChangePasswordRequest = Static<typeof ChangePasswordRequest>;

export const PasswordChanged = Type.Object(
  {
    changed: Type.Literal(true, { description: 'Always true.' }),
    sessions_ended: Type.Integer({
      description: 'The number of other sessions that were ended; this one continues.',
    }),
  },
  { description: 'The password was changed.' },
);
export type PasswordChanged = Static<typeof PasswordChanged>;
