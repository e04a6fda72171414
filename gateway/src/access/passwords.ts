/**
 * Hashes passwords with argon2id. A hash is stored in PHC format with its parameters, so that those below can be
 * raised later. Hashing runs in Node's thread pool, which file access and DNS use too, so only a few run at a time
 * and only a limited number may wait.
 */

import { argon2, timingSafeEqual } from 'node:crypto';
import { PASSWORD_CHARACTERS_MAX, PASSWORD_CHARACTERS_MIN } from '../contract/administration/fields.ts';
import { randomBytes } from '../kernel/ids.ts';
import { Problem } from '../kernel/problem.ts';

const HASH_COST: HashCost = { memory: 19 * 1024, passes: 2, parallelism: 1 };
const SALT_BYTES = 16;
const HASH_BYTES = 32;
/** No hash of ours needs more; a row that does was not written by us. */
const MEMORY_KIB_MAX = 256 * 1024;
const PASSES_MAX = 16;
const AT_ONCE_MAX = 2;
const WAITING_MAX = 50;
const BUSY_MS = 2_000;

const PHC =
  /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/;

interface HashCost {
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
}

let hashCost = HASH_COST;

/** For tests of something else, which set many passwords. Null: the real cost. */
export function setHashCost(cost: HashCost | null): void {
  hashCost = cost ?? HASH_COST;
}

/** Dummy hash that no password has, so that timing does not reveal whether the account exists. */
const dummyHash = (): string => writeHash('A'.repeat(22), 'A'.repeat(43));

/** What is wrong with a new password; null when nothing is. */
/** A new password that somebody chose; throws if it is missing or has a wrong length. */
export function checkedPassword(password: string | undefined): string {
  const fault =
    password === undefined
      ? 'password is required: choose the password you will sign in with.'
      : passwordFault(password);
  if (password !== undefined && fault === null) return password;
  throw new Problem('invalid_parameter', { detail: fault ?? '', param: 'password' });
}

export function passwordFault(password: string): string | null {
  const { length } = [...password];
  if (length >= PASSWORD_CHARACTERS_MIN && length <= PASSWORD_CHARACTERS_MAX) return null;
  return `The password has ${length} characters; it must have ${PASSWORD_CHARACTERS_MIN} to ${PASSWORD_CHARACTERS_MAX}.`;
}

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const hash = await inTurn(() => derive(password, { ...hashCost, salt, bytes: HASH_BYTES }));
  return writeHash(base64(salt), base64(hash));
}

function writeHash(salt: string, hash: string): string {
  const { memory, passes, parallelism } = hashCost;
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${salt}$${hash}`;
}

/**
 * `hash` is null if the person is unknown or has no password: the same work, and no match. `first`: before others who
 * wait, so that a flood of strangers does not keep out people who are known.
 */
export async function passwordMatches(
  password: string,
  hash: string | null,
  { first = false }: { first?: boolean } = {},
): Promise<boolean> {
  const [, memory, passes, parallelism, salt = '', wanted = ''] = PHC.exec(hash ?? dummyHash()) ?? [];
  const cost = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) };
  if (!(cost.memory <= MEMORY_KIB_MAX && cost.passes <= PASSES_MAX))
    throw new Error('a stored password hash has an unknown format or excessive parameters');
  const expected = Buffer.from(wanted, 'base64');
  const found = await inTurn(
    () => derive(password, { ...cost, salt: Buffer.from(salt, 'base64'), bytes: expected.length }),
    first ? waitingFirst : waiting,
  );
  return timingSafeEqual(found, expected) && hash !== null;
}

interface Derivation extends HashCost {
  readonly salt: Uint8Array;
  readonly bytes: number;
}

function derive(password: string, { salt, bytes, ...cost }: Derivation): Promise<Buffer> {
  // The same letter can be encoded in several ways, and keyboards differ in which one they send.
  const message = Buffer.from(password.normalize('NFC'), 'utf8');
  return new Promise((resolve, reject) => {
    argon2('argon2id', { message, nonce: salt, tagLength: bytes, ...cost }, (error, key) => {
      if (error) reject(error);
      else resolve(key);
    });
  });
}

let running = 0;
const waiting: Array<() => void> = [];
const waitingFirst: Array<() => void> = [];

async function inTurn<T>(work: () => Promise<T>, queue = waiting): Promise<T> {
  if (running >= AT_ONCE_MAX) {
    if (queue.length >= WAITING_MAX) {
      throw new Problem('rate_limit_exceeded', {
        detail: 'Too many people are signing in right now. Try again in a moment.',
        retryAfterMs: BUSY_MS,
      });
    }
    await new Promise<void>((resolve) => queue.push(resolve));
  } else running++;
  try {
    return await work();
  } finally {
    const next = waitingFirst.shift() ?? waiting.shift();
    // The slot is passed on directly, so that no newcomer takes it first.
    if (next === undefined) running--;
    else next();
  }
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64').replaceAll('=', '');
}
