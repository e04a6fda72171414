/** What the server and a command line that signs in through an issuer agree on. Without schemas, so that it loads fast. */

/** Where a command line that waits on a port gets its code: `?code=…`. */
export const COMMAND_LINE_PATH = '/callback';

/** What the page and the command line show of a challenge, for people to compare. */
export function shownChallenge(challenge: string): string {
  return `${challenge.slice(0, 4)}-${challenge.slice(4, 8)}`.toUpperCase();
}
