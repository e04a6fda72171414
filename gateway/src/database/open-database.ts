/** Opens the configured engine. */
import type { Clock } from '../kernel/time.ts';
import { type Database, DatabaseRefused, DatabaseUnavailable } from './database.ts';
import { openEmbedded } from './embedded.ts';

export interface DatabaseOptions {
  /** A PostgreSQL address; without one the embedded engine runs in `folder`. */
  readonly url: string | null;
  readonly folder: string;
  readonly clock: Clock;
  readonly onLost?: (error: Error) => void;
  /** Called when a deadlock was rolled back and is retried. */
  readonly onUndone?: (error: Error) => void;
}

export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { url, folder, clock, onLost, onUndone } = options;
  if (url === null) return await openEmbedded({ folder, clock, ...(onLost && { onLost }) });
  // Loaded only when used: the embedded engine needs no PostgreSQL client.
  const { openPostgres } = await import('./postgres.ts');
  try {
    return await openPostgres({ url, clock, ...(onLost && { onLost }), ...(onUndone && { onUndone }) });
  } catch (error) {
    throw explainFailedOpen(error, url);
  }
}

const UNREACHABLE = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ECONNRESET',
];

/** For the person who set the address; the error itself if there is nothing better to say. */
function explainFailedOpen(error: unknown, url: string): unknown {
  const at = placeOf(url);
  if (at === null) return error;
  const { code, message } = rootOf(error);
  switch (code) {
    case '3D000':
      return refused(
        `There is no database ${at.database} on ${at.host}. Create it (createdb ${at.database}), or correct DATABASE_URL.`,
        error,
      );
    case '28P01':
    case '28000':
      return refused(`${at.host} does not accept the user or password in DATABASE_URL (${message}).`, error);
    case '42501':
      return refused(`${at.host} gives the user in DATABASE_URL too few rights (${message}).`, error);
  }
  const lost = UNREACHABLE.includes(code) || (error as Error | null)?.name === 'DatabaseUnavailable';
  if (!lost) return error;
  const why = UNREACHABLE.includes(code) ? code : message;
  const detail = `The database on ${at.host} cannot be reached (${why}). Is it running, and is DATABASE_URL correct?`;
  return new DatabaseUnavailable(detail, { cause: error });
}

function refused(message: string, cause: unknown): DatabaseRefused {
  return new DatabaseRefused(message, { cause });
}

/** Without user and password. */
function placeOf(url: string): { host: string; database: string } | null {
  if (!URL.canParse(url)) return null;
  const { host, pathname } = new URL(url);
  return { host: host === '' ? 'this machine' : host, database: decodeURIComponent(pathname.slice(1)) };
}

/** The innermost cause that has a code; attempts at several addresses fail together. */
function rootOf(error: unknown): { code: string; message: string } {
  let found = { code: '', message: error instanceof Error ? error.message : String(error) };
  let at: unknown = error;
  for (let depth = 0; depth < 8 && at instanceof Error; depth++) {
    const { code, message } = at as Error & { code?: unknown };
    if (typeof code === 'string') found = { code, message };
    at = at instanceof AggregateError && at.cause === undefined ? at.errors[0] : at.cause;
  }
  return found;
}
