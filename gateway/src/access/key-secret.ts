/**
 * The secret of a key, a session, a sign-in link, an invitation or an administration token: a prefix, 40 random
 * characters and a checksum of 6. The checksum detects a typo, or a false hit of a secret scanner, without a look-up. Only its SHA-256 is ever stored.
 */
import { crc32 } from 'node:zlib';
import { sha256 } from '../kernel/digest.ts';
import { randomBase62 } from '../kernel/ids.ts';
import type { KeyKind } from './principal.ts';

export type KeyPrefix = 'sk' | 'mk';
/**
 * `ts_` is a console session, `sl_` a one-time sign-in link, `iv_` an invitation, `at_` an administration token,
 * `fo_` a link for the first operator.
 */
const prefixes = ['sk', 'mk', 'ts', 'sl', 'iv', 'at', 'fo'] as const;
export type SecretPrefix = (typeof prefixes)[number];

const RANDOM_CHARACTERS = 40;
const CHECKSUM_CHARACTERS = 6;
const LENGTH = RANDOM_CHARACTERS + CHECKSUM_CHARACTERS;
const FORM = new RegExp(`^(?:${prefixes.join('|')})_[0-9A-Za-z]{${LENGTH}}$`);
const BEGINNING = new RegExp(`^(?:${prefixes.join('|')})_`);
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

export function newKeySecret(kind: KeyKind): string {
  return newSecret(prefixOf(kind));
}

export function newSecret(prefix: SecretPrefix): string {
  const text = `${prefix}_${randomBase62(RANDOM_CHARACTERS)}`;
  return text + checksum(text);
}

export function prefixOf(kind: KeyKind): KeyPrefix {
  return kind === 'management' ? 'mk' : 'sk';
}

/** Whether the text begins as one of our secrets, however it goes on. */
export function beginsAsSecret(text: string): boolean {
  return BEGINNING.test(text);
}

/** The prefix of a well-formed secret; null for any other text. */
export function readPrefix(text: string): SecretPrefix | null {
  if (!FORM.test(text)) return null;
  const body = text.slice(0, -CHECKSUM_CHARACTERS);
  return checksum(body) === text.slice(-CHECKSUM_CHARACTERS) ? (text.slice(0, 2) as SecretPrefix) : null;
}

export function digestOfSecret(text: string): string {
  return sha256(text);
}

/** What lists show of a key: `sk_…a1b2`. */
export function hintOfSecret(text: string): string {
  return `${text.slice(0, 3)}…${text.slice(-4)}`;
}

function checksum(text: string): string {
  let rest = crc32(text);
  let characters = '';
  for (let i = 0; i < CHECKSUM_CHARACTERS; i++) {
    characters = BASE62[rest % 62] + characters;
    rest = Math.floor(rest / 62);
  }
  return characters;
}
