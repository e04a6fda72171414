/** The console API: the ways to sign in. */
import { type Static, Type } from 'typebox';

export const SignInWays = Type.Object(
  {
    password: Type.Boolean({ description: 'Whether e-mail and password sign in.' }),
    issuers: Type.Array(
      Type.Object({
        name: Type.String({ description: 'The name of the issuer in paths.' }),
        label: Type.String({ description: 'What people see.' }),
        start_url: Type.String({ format: 'uri', description: 'Open it in a browser to sign in.' }),
      }),
      { description: 'The issuers that sign people in; empty if none is configured.' },
    ),
  },
  { description: 'How people can sign in.' },
);
export type SignInWays = Static<typeof SignInWays>;
