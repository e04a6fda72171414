/** Where a browser goes after signing in: a page of the console, never another host. Pure. */
import { Problem } from '../../kernel/problem.ts';

export const CONSOLE_PATH = '/console';
const CHARACTERS_MAX = 1_000;
const ORIGIN = 'http://tollgate.invalid';

/** `text`: the parameter `return_to`; null: the first page of the console. */
export function readReturnPath(text: string | null): string {
  if (text === null) return CONSOLE_PATH;
  const path = consolePath(text);
  if (path !== null) return path;
  throw new Problem('invalid_parameter', {
    detail: `return_to must be a path of the console, such as ${CONSOLE_PATH}/keys, of at most ${CHARACTERS_MAX} characters.`,
    param: 'return_to',
  });
}

/** Compared as browsers read it: they resolve dots, and take backslashes for slashes and leave out line breaks. */
function consolePath(text: string): string | null {
  if (text.length > CHARACTERS_MAX || !text.startsWith('/') || !URL.canParse(text, ORIGIN)) return null;
  const { origin, pathname, search, hash } = new URL(text, ORIGIN);
  const inside = pathname === CONSOLE_PATH || pathname.startsWith(`${CONSOLE_PATH}/`);
  return origin === ORIGIN && inside ? pathname + search + hash : null;
}
