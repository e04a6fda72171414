/** The session of `tollgate login`, for the commands that act as a person. */
import { SettingsError } from '../../app/settings.ts';
import type { CommonFlags } from '../command.ts';
import { serverUrl } from './console-client.ts';
import { readSession } from './session-file.ts';

export interface SignedInAt {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export async function signedInAt(flags: CommonFlags): Promise<SignedInAt> {
  const session = readSession(process.env);
  if (session === null) {
    throw new SettingsError(
      'You are not signed in. Sign in with "tollgate login --email EMAIL" or "tollgate login --link LINK".',
    );
  }
  const url =
    flags.url === undefined && session.url !== null
      ? session.url
      : await serverUrl(flags.url, flags, process.env);
  // The session is a secret: it is sent only to the server that issued it.
  if (session.url !== null && new URL(url).origin !== session.url) {
    throw new SettingsError(
      `You are signed in to ${session.url}. Sign in to ${url} with "tollgate login --url ${url}".`,
    );
  }
  return { url, headers: { authorization: `Bearer ${session.token}`, 'user-agent': 'tollgate-cli' } };
}
