/** The session of `tollgate login`, for the commands that act as a person. */
import { type Flags, SettingsError } from '../../app/settings.ts';
import { option } from '../command.ts';
import { serverUrl } from './console-client.ts';
import { readSession } from './session-file.ts';

/** Taken by every command that acts as a person. */
export const sessionUrl = option('<url>', 'the server (TOLLGATE_URL; default: the one you are signed in to)');

export interface SignedInAt {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export async function signedInAt(address: string | undefined, flags: Flags): Promise<SignedInAt> {
  const session = readSession(process.env);
  if (session === null) {
    throw new SettingsError(
      'You are not signed in. Sign in with "tollgate login --email EMAIL" or "tollgate login --link LINK".',
    );
  }
  const url =
    address === undefined && session.url !== null
      ? session.url
      : await serverUrl(address, flags, process.env);
  // The session is a secret: it is sent only to the server that issued it.
  if (session.url !== null && new URL(url).origin !== session.url) {
    throw new SettingsError(
      `You are signed in to ${session.url}. Sign in to ${url} with "tollgate login --url ${url}".`,
    );
  }
  return { url, headers: { authorization: `Bearer ${session.token}`, 'user-agent': 'tollgate-cli' } };
}
