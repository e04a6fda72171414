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

/** Where a command line that waits on a port gets its code: `?code=…`. */
export const COMMAND_LINE_PATH = '/callback';

/** What the page and the command line show of a challenge, for people to compare. */
export function shownChallenge(challenge: string): string {
  return `${challenge.slice(0, 4)}-${challenge.slice(4, 8)}`.toUpperCase();
}
