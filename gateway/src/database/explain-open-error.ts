/** Explains why a database could not be opened, for the person who set its address. Pure. */
import { DatabaseRefused, DatabaseUnavailable } from './database.ts';

const UNREACHABLE = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ECONNRESET',
];

/** The error itself if there is nothing better to say. */
export function explainFailedOpen(error: unknown, url: string): unknown {
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
