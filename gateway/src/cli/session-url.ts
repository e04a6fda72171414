/** Whom the command line is signed in as, and where; for the commands that act as a person. */
import { SettingsError } from '../app/settings.ts';
import type { CommonFlags } from './administer.ts';
import { serverUrl } from './console-client.ts';
import { readSession } from './session-file.ts';

export interface SignedInAt {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export async function signedInAt(flags: CommonFlags & { url?: string }): Promise<SignedInAt> {
  const session = readSession(process.env);
  if (session === null) {
    throw new SettingsError('Nobody is signed in. Sign in with "tollgate login --email YOU" or --link LINK.');
  }
  const url =
    flags.url === undefined && session.url !== null ? session.url : await serverUrl(flags, process.env);
  // A session is a secret of its server, and goes nowhere else.
  if (session.url !== null && new URL(url).origin !== session.url) {
    throw new SettingsError(
      `You are signed in to ${session.url}. Sign in to ${url} with "tollgate login --url ${url}".`,
    );
  }
  return { url, headers: { authorization: `Bearer ${session.token}`, 'user-agent': 'tollgate-cli' } };
}
