/**
 * The secret of a key, a session or a sign-in link: a prefix, 40 random characters and a checksum of 6. The checksum
 * detects a typo, or a false hit of a secret scanner, without a look-up. Only its SHA-256 is ever stored.
 */
import { crc32 } from 'node:zlib';
import { sha256 } from '../kernel/digest.ts';
import { randomBase62 } from '../kernel/ids.ts';
import type { KeyKind } from './principal.ts';

export type KeyPrefix = 'sk' | 'mk';
/** `ts_` is a console session, `sl_` a one-time sign-in link. */
export type SecretPrefix = KeyPrefix | 'ts' | 'sl';

const RANDOM_CHARACTERS = 40;
const CHECKSUM_CHARACTERS = 6;
const FORM = new RegExp(`^(sk|mk|ts|sl)_[0-9A-Za-z]{${RANDOM_CHARACTERS + CHECKSUM_CHARACTERS}}$`);
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
