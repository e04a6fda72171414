/** Finds the server that commands administer over HTTP, and the session or token for it. */
import { SettingsError } from '../../app/settings.ts';
import type { Environment } from '../../yaml/expand-text.ts';
import { readUrl } from '../client/read-url.ts';
import { readSession } from '../client/session-file.ts';
import type { CommonFlags } from '../command.ts';

export interface Remote {
  readonly url: string;
  /** A session (`ts_…`) or an administration token (`at_…`). */
  readonly token: string;
}

/** The server that is named by --url or TOLLGATE_URL, or the one of the kept login; null if there is none. */
export function findRemote(flags: CommonFlags, env: Environment, which: 'named' | 'kept'): Remote | null {
  const session = readSession(env);
  if (which === 'kept') return session?.url ? { url: session.url, token: session.token } : null;
  const named = flags.url || env.TOLLGATE_URL;
  if (!named) return null;
  const url = new URL(readUrl(named)).origin;
  const token =
    env.TOLLGATE_TOKEN || (session?.url === null || session?.url === url ? session?.token : undefined);
  if (token !== undefined) return { url, token };
  throw new SettingsError(
    `You are not signed in to ${url}. Sign in with "tollgate login --url ${url}", or set TOLLGATE_TOKEN to an ` +
      `administration token.${flags.url ? '' : ' To administer the installation on this machine, unset TOLLGATE_URL.'}`,
  );
}
