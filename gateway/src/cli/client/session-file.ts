/** Stores the session of `tollgate login` in a file that only its user can read. */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { SettingsError } from '../../app/settings.ts';
import type { Environment } from '../../yaml/expand-text.ts';

export interface KeptSession {
  readonly url: string;
  readonly email: string;
  readonly token: string;
  readonly expires_at: string;
}

/** Null if TOLLGATE_SESSION is a token; otherwise it may name another file. */
export function sessionFile(env: Environment): string | null {
  const named = env.TOLLGATE_SESSION || '';
  if (named.startsWith('ts_')) return null;
  const folder = env.XDG_CONFIG_HOME || join(homedir(), '.config');
  return named || join(folder, 'tollgate', 'session.json');
}

/** Null when there is no session. `url` is null if only a token is known. */
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

/** Written to a temporary file and renamed, so that the session is never readable by others. */
export function writeSession(file: string, session: KeptSession): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const beside = `${file}.${process.pid}`;
  writeFileSync(beside, `${JSON.stringify(session, null, 2)}\n`, { mode: 0o600 });
  renameSync(beside, file);
}

export function removeSession(file: string): void {
  rmSync(file, { force: true });
}
