/** The console API: signing in a command line by a code that a person confirms in a browser. */
import { type Static, Type } from 'typebox';
import { ConsoleSession } from './console.ts';

const closed = { additionalProperties: false } as const;

const UserCode = Type.String({
  minLength: 1,
  maxLength: 40,
  description: 'The code that the command line shows, in any case of letters, with or without the hyphen.',
  examples: ['BCDF-GHJK'],
});

export const StartDeviceSignInRequest = Type.Object(
  {
    machine: Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'What the person recognises the machine by.',
      examples: ['kim@laptop (linux)'],
    }),
    challenge: Type.String({
      pattern: '^[0-9a-f]{64}$',
      description: 'The SHA-256 of a secret of the command line, in hexadecimal.',
    }),
  },
  { ...closed, description: 'A command line that wants to sign in.' },
);
export type StartDeviceSignInRequest = Static<typeof StartDeviceSignInRequest>;

export const StartedDeviceSignIn = Type.Object(
  {
    user_code: Type.String({ description: 'The code to show to the person.' }),
    verification_url: Type.String({
      format: 'uri',
      description: 'The page on which the person confirms, with the code.',
    }),
    expires_in: Type.Integer({ description: 'For how many seconds the code can be confirmed.' }),
    interval: Type.Integer({ description: 'How many seconds to wait between two requests for the session.' }),
  },
  { description: 'A sign-in that waits to be confirmed.' },
);
export type StartedDeviceSignIn = Static<typeof StartedDeviceSignIn>;

export const LookAtDeviceSignInRequest = Type.Object(
  { user_code: UserCode },
  { ...closed, description: 'The code of a command line.' },
);

export const DeviceSignInPreview = Type.Object(
  {
    machine: Type.String({ description: 'What the command line calls its machine.' }),
    address: Type.String({ description: 'The network address that the command line came from.' }),
    same_address: Type.Boolean({ description: 'Whether this request came from the same address.' }),
    created_at: Type.String({ format: 'date-time', description: 'When the command line began.' }),
    expires_at: Type.String({ format: 'date-time', description: 'When the code stops working.' }),
  },
  { description: 'A command line that waits.' },
);
export type DeviceSignInPreview = Static<typeof DeviceSignInPreview>;

export const DecideDeviceSignInRequest = Type.Object(
  {
    user_code: UserCode,
    allow: Type.Boolean({ description: 'True signs the command line in as you; false ends its wait.' }),
  },
  { ...closed, description: 'A decision about a command line.' },
);

export const DecidedDeviceSignIn = Type.Object(
  { allowed: Type.Boolean({ description: 'Whether the command line is signed in.' }) },
  { description: 'What was decided.' },
);
export type DecidedDeviceSignIn = Static<typeof DecidedDeviceSignIn>;

export const FinishDeviceSignInRequest = Type.Object(
  {
    verifier: Type.String({
      minLength: 40,
      maxLength: 128,
      description: 'The secret whose digest began the sign-in.',
    }),
  },
  { ...closed, description: 'The secret of a command line.' },
);

export const DeviceSession = Type.Object(
  {
    session: Type.Union([ConsoleSession, Type.Null()], {
      description: 'The session with its token, once. Null: nobody has confirmed the code yet.',
    }),
  },
  { description: 'The outcome of a sign-in.' },
);
export type DeviceSession = Static<typeof DeviceSession>;

export const FirstOperatorRequest = Type.Object(
  {
    code: Type.String({ minLength: 1, maxLength: 200, description: 'The part of the link after the #.' }),
    email: Type.String({
      minLength: 3,
      maxLength: 254,
      description: 'The e-mail address to sign in with.',
      examples: ['kim@example.com'],
    }),
    password: Type.String({ minLength: 1, maxLength: 1_000, description: '10 to 200 characters.' }),
  },
  { ...closed, description: 'The first operator of the installation.' },
);
export type FirstOperatorRequest = Static<typeof FirstOperatorRequest>;
