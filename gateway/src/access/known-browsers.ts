/**
 * Browsers in which a person has signed in before. Each keeps a signed mark for every account that did, so that the
 * right password is accepted there however often strangers try wrong ones. A mark names no account: only someone who
 * knows the e-mail address can check it.
 */
import type { Database } from '../database/database.ts';
import { sha256 } from '../kernel/digest.ts';
import { DAY_MS } from '../kernel/durations.ts';
import { randomBase62 } from '../kernel/ids.ts';
import type { Clock } from '../kernel/time.ts';
import { SigningKey } from './signing-key.ts';

export const KNOWN_MS = 365 * DAY_MS;
/** Of one browser: a cookie must stay small. */
const ACCOUNTS_MAX = 4;
const ID_CHARACTERS = 16;
const SEPARATOR = '~';
const MARK = /^([0-9A-Za-z]{16})\.([0-9a-z]{1,10})\.([\w-]{43})$/;
const COOKIE_CHARACTERS_MAX = 400;

export class KnownBrowsers {
  readonly #clock: Clock;
  readonly #key: SigningKey;

  constructor(tools: { db: Database; clock: Clock }) {
    this.#clock = tools.clock;
    this.#key = new SigningKey(tools, 'known-browsers');
  }

  /** The id of a browser in which the account has signed in; null for any other. `cookie`: its marks. */
  async idOf(cookie: string | null, email: string): Promise<string | null> {
    for (const mark of marksIn(cookie)) {
      const [, id = '', since = '', signature = ''] = MARK.exec(mark) ?? [];
      const ageMs = this.#clock.now() - Number.parseInt(since, 36);
      if (ageMs > KNOWN_MS || !(await this.#key.isOurs(signedText(email, id, since), signature))) continue;
      return id;
    }
    return null;
  }

  /** The cookie of a browser in which the account signs in now. */
  async remember(cookie: string | null, email: string): Promise<string> {
    const known = await this.idOf(cookie, email);
    const id = known ?? randomBase62(ID_CHARACTERS);
    const since = this.#clock.now().toString(36);
    const mark = `${id}.${since}.${await this.#key.sign(signedText(email, id, since))}`;
    const others = marksIn(cookie).filter((other) => known === null || !other.startsWith(`${known}.`));
    return [mark, ...others].slice(0, ACCOUNTS_MAX).join(SEPARATOR);
  }
}

function marksIn(cookie: string | null): string[] {
  if (cookie === null || cookie.length > COOKIE_CHARACTERS_MAX) return [];
  return cookie
    .split(SEPARATOR)
    .filter((mark) => MARK.test(mark))
    .slice(0, ACCOUNTS_MAX);
}

function signedText(email: string, id: string, since: string): string {
  return `known-browser\n${sha256(email.toLowerCase())}\n${id}\n${since}`;
}
