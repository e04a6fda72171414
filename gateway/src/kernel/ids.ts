/**
 * Identifiers: a prefix for the kind, then 48 bits of time and 80 random bits in Crockford's base 32. The time comes first
 * so that new rows are appended to an index; the rest cannot be guessed. All other randomness comes from here too.
 */
import type { Instant } from './time.ts';

export type IdPrefix =
  | 'req'
  | 'spc'
  | 'mem'
  | 'key'
  | 'grt'
  | 'inv'
  | 'file'
  | 'batch'
  | 'per'
  | 'invite'
  | 'token'
  | 'bld'
  | 'ref'
  | 'job'
  | 'media'
  | 'kmed'
  | 'prc'
  | 'wkl'
  | 'wks'
  | 'evt'
  | 'dlv'
  | 'target'
  | 'bud'
  | 'breq';

const CROCKFORD = '0123456789abcdefghjkmnpqrstvwxyz';
const TIME_MAX = 2 ** 48 - 1;
const TIME_CHARACTERS = 10;
const RANDOM_CHARACTERS = 16;
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

const pool = new Uint8Array(4096);
let poolUsed = pool.length;
let timeCached = { instant: Number.NaN, text: '' };

export function newId(prefix: IdPrefix, now: Instant): string {
  if (now !== timeCached.instant) timeCached = { instant: now, text: timeText(now) };
  let text = `${prefix}_${timeCached.text}`;
  for (let i = 0; i < RANDOM_CHARACTERS; i++) text += CROCKFORD[randomByte() & 31];
  return text;
}

/** The lowest id of a time. Ids are in the order of time, so a period is a range of ids. */
export function firstIdAt(prefix: IdPrefix, instant: Instant): string {
  const time = timeText(Math.min(Math.max(Math.ceil(instant), 0), TIME_MAX));
  return `${prefix}_${time}${CROCKFORD.charAt(0).repeat(RANDOM_CHARACTERS)}`;
}

export function isId(prefix: IdPrefix, text: string): boolean {
  return new RegExp(`^${prefix}_[${CROCKFORD}]{${TIME_CHARACTERS + RANDOM_CHARACTERS}}$`).test(text);
}

/** Random base62 text, uniformly distributed. */
export function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    const value = randomByte() & 63;
    if (value < 62) text += BASE62[value];
  }
  return text;
}

/** Letters of an alphabet of at most 256, uniformly distributed. */
export function randomLetters(alphabet: string, length: number): string {
  const usable = 256 - (256 % alphabet.length);
  let text = '';
  while (text.length < length) {
    const value = randomByte();
    if (value < usable) text += alphabet[value % alphabet.length];
  }
  return text;
}

export function randomBytes(length: number): Uint8Array {
  return Uint8Array.from({ length }, randomByte);
}

/** A fraction in [0, 1), for jitter and weighted choice. */
export function randomFraction(): number {
  return (randomByte() * 65_536 + randomByte() * 256 + randomByte()) / 16_777_216;
}

function randomByte(): number {
  if (poolUsed === pool.length) {
    crypto.getRandomValues(pool);
    poolUsed = 0;
  }
  return pool[poolUsed++] as number;
}

function timeText(instant: Instant): string {
  if (!Number.isInteger(instant) || instant < 0 || instant > TIME_MAX) {
    throw new RangeError(`not an instant in whole milliseconds: ${instant}`);
  }
  let rest = instant;
  let text = '';
  for (let i = 0; i < TIME_CHARACTERS; i++) {
    text = CROCKFORD[rest % 32] + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}
