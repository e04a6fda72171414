/** Tags of calls, `team=search,feature=chat`: what they may consist of, the same in a header, as a default and in `metadata`. Pure. */

export const TAGS_HEADER = 'x-tollgate-tags';
/** Of one call. */
export const TAGS_MAX = 16;
export const TAG_KEY_CHARACTERS_MAX = 64;
export const TAG_VALUE_CHARACTERS_MAX = 128;
/** The longest text with tags. */
export const TAGS_CHARACTERS_MAX = TAGS_MAX * (TAG_KEY_CHARACTERS_MAX + TAG_VALUE_CHARACTERS_MAX + 2);

/** One value for each key. */
export type Tags = ReadonlyArray<readonly [key: string, value: string]>;

export const NO_TAGS: Tags = [];

const TAG_KEY = /^[A-Za-z0-9_][A-Za-z0-9_./-]{0,63}$/;
const TYPED_VALUE = /^[\x20-\x7e]{1,128}$/;
/** Also those that no header can have. */
const ANY_VALUE = /^[^\p{Cc}]{1,128}$/u;

/** Returns a sentence about the first thing that is wrong. */
export function readTags(text: string): Tags | string {
  if (text.length > TAGS_CHARACTERS_MAX) return `has more than ${TAGS_CHARACTERS_MAX} characters`;
  const tags: Array<readonly [string, string]> = [];
  for (const part of text.split(',')) {
    const at = part.indexOf('=');
    const key = part.slice(0, Math.max(at, 0)).trim();
    const value = part.slice(at + 1).trim();
    if (at < 0) return 'must be pairs as key=value, separated by commas';
    if (!TAG_KEY.test(key))
      return `has a key that is not 1 to ${TAG_KEY_CHARACTERS_MAX} letters, digits and _ . / - (the first one a letter, a digit or _)`;
    if (!TYPED_VALUE.test(value))
      return `has a value of ${key} that is not 1 to ${TAG_VALUE_CHARACTERS_MAX} printable ASCII characters`;
    if (tags.some(([other]) => other === key)) return `has the key ${key} twice`;
    if (tags.length === TAGS_MAX) return `has more than ${TAGS_MAX} tags`;
    tags.push([key, value]);
  }
  return tags;
}

/** The pairs of `metadata` that fit as tags. The format allows others, which are none. */
export function tagsInMetadata(metadata: unknown): Tags {
  if (typeof metadata !== 'object' || metadata === null) return NO_TAGS;
  const tags: Array<readonly [string, string]> = [];
  for (const key in metadata) {
    const value = (metadata as Record<string, unknown>)[key];
    if (typeof value !== 'string' || !TAG_KEY.test(key) || !ANY_VALUE.test(value) || !value.isWellFormed())
      continue;
    tags.push([key, value]);
    if (tags.length === TAGS_MAX) break;
  }
  return tags;
}
