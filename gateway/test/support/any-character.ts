/**
 * Every character that text can have, for strings of fast-check: what its unit `binary` gives. That one makes a table of all
 * 1,112,064 in each process, which takes more than a second and is marked again at each collection of garbage.
 */
import fc from 'fast-check';

const SURROGATES = { first: 0xd800, count: 0x800 };
const COUNT = 0x110000 - SURROGATES.count;

export const anyCharacter: fc.Arbitrary<string> = fc.nat({ max: COUNT - 1 }).map(
  (place) => String.fromCodePoint(place < SURROGATES.first ? place : place + SURROGATES.count),
  (character) => {
    const code = typeof character === 'string' ? character.codePointAt(0) : undefined;
    if (code === undefined || String.fromCodePoint(code) !== character) throw new Error('not one character');
    return code < SURROGATES.first ? code : code - SURROGATES.count;
  },
);
