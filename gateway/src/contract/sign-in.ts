/** The console API: the ways to sign in. */
import { type Static, Type } from 'typebox';

export const SignInWays = Type.Object({
  password: Type.Boolean({ description: 'Whether e-mail and password sign in.' }),
  issuers: Type.Array(
    Type.Object({
      name: Type.String(),
      label: Type.String({ description: 'What people see.' }),
      start_url: Type.String({ format: 'uri', description: 'Open it in a browser to sign in.' }),
    }),
  ),
});
export type SignInWays = Static<typeof SignInWays>;
