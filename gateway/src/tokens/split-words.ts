/**
 * Splits a text into the words that are encoded one by one, as the encoding `o200k_base` does. A run of letters, symbols or
 * spaces is cut after a number of characters: the time to encode a word grows with its square. Words of languages are
 * shorter; in a longer run a cut costs at most one token.
 */

/** Of letters, and of symbols. */
const LETTERS_MAX = 64;
/** The longest runs of spaces that are one token. */
const SPACES_MAX = 128;
/** Of the longest possible word, in UTF-16 units: two runs of letters, what is before them and what is after them. */
export const WORD_CHARACTERS_MAX = 2 * (2 * LETTERS_MAX + SPACES_MAX);

const upper = String.raw`[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]`;
const lower = String.raw`[\p{Ll}\p{Lm}\p{Lo}\p{M}]`;
const before = String.raw`[^\r\n\p{L}\p{N}]?`;
const suffix = "(?:'(?:[sS]|[dD]|[mM]|[tT]|[lL][lL]|[vV][eE]|[rR][eE]))?";

const WORDS = [
  `${before}${upper}{0,${LETTERS_MAX}}${lower}{1,${LETTERS_MAX}}${suffix}`,
  `${before}${upper}{1,${LETTERS_MAX}}${lower}{0,${LETTERS_MAX}}${suffix}`,
  String.raw`\p{N}{1,3}`,
  String.raw` ?[^\s\p{L}\p{N}]{1,${LETTERS_MAX}}[\r\n/]{0,${LETTERS_MAX}}`,
  String.raw`\s{0,${SPACES_MAX}}[\r\n]{1,${SPACES_MAX}}`,
  String.raw`\s{1,${SPACES_MAX}}(?!\S)`,
  String.raw`\s{1,${SPACES_MAX}}`,
].join('|');

/** Each reader has its own, because the place in the text is part of it. */
export function wordPattern(): RegExp {
  return new RegExp(WORDS, 'gu');
}
