/** The session the command line keeps between commands, in a file that only its user may read. */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { SettingsError } from '../app/settings.ts';
import type { Environment } from '../catalog/config-file.ts';

export interface KeptSession {
  readonly url: string;
  readonly email: string;
  readonly token: string;
  readonly expires_at: string;
}

/** TOLLGATE_SESSION names another file, or is itself the token of a session. */
export function sessionFile(env: Environment): string | null {
  const named = env.TOLLGATE_SESSION || '';
  if (named.startsWith('ts_')) return null;
  const folder = env.XDG_CONFIG_HOME || join(homedir(), '.config');
  return named || join(folder, 'tollgate', 'session.json');
}

/** Null when nobody is signed in. `url` is null where only a token was given. */
export function readSession(env: Environment): { url: string | null; token: string } | null {
  const file = sessionFile(env);
  if (file === null) return { url: null, token: env.TOLLGATE_SESSION as string };
  try {
    const { url, token } = JSON.parse(readFileSync(file, 'utf8')) as KeptSession;
    return { url, token };
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return null;
    throw new SettingsError(`The session in ${file} cannot be read; sign in again with "tollgate login".`);
  }
}

/** Written beside and put in place, so that the file never has other rights than its own. */
export function writeSession(file: string, session: KeptSession): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const beside = `${file}.${process.pid}`;
  writeFileSync(beside, `${JSON.stringify(session, null, 2)}\n`, { mode: 0o600 });
  renameSync(beside, file);
}

export function removeSession(file: string): void {
  rmSync(file, { force: true });
}
