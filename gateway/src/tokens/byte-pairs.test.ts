import fc from 'fast-check';
import vocabulary from 'gpt-tokenizer/bpeRanks/o200k_base';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { expect, test } from 'vitest';
import { anyCharacter } from '../../test/support/any-character.ts';
import { BytePairs, type Vocabulary } from './byte-pairs.ts';
import { WORD_CHARACTERS_MAX } from './split-words.ts';
import { TextCount } from './text-count.ts';

const pairs = new BytePairs(vocabulary as Vocabulary, WORD_CHARACTERS_MAX);

function count(text: string): number {
  const counting = new TextCount([text]);
  expect(counting.run(pairs, () => false)).toBe(true);
  return counting.tokens;
}

const reference = (text: string): number => countTokens(text, { disallowedSpecial: new Set() });

test('texts have as many tokens as the reference counts', () => {
  const words = [
    'the',
    ' quick',
    "n't",
    'Ärger',
    '漢字',
    '한국어',
    ' ไทย',
    '😀',
    '👩‍👩‍👧',
    'é',
    '123456',
    '\r\n',
    '   ',
    '\t',
    '!?',
    '<|endoftext|>',
  ];
  const text = fc.oneof(
    fc.array(fc.constantFrom(...words), { maxLength: 20 }).map((list) => list.join('')),
    fc.string({ unit: 'grapheme', maxLength: 60 }),
    fc.string({ unit: anyCharacter, maxLength: 60 }),
  );
  fc.assert(
    fc.property(text, (said) => {
      expect(count(said)).toBe(reference(said));
    }),
    { numRuns: 500 },
  );
});

test('a count that is interrupted ends with the same number', () => {
  const text = 'The quick brown fox jumps over the lazy dog. '.repeat(100);
  const counting = new TextCount([text, text]);
  let turns = 1;
  while (!counting.run(pairs, () => true)) turns++;
  expect(turns).toBeGreaterThan(10);
  expect(counting.tokens).toBe(2 * reference(text));
});

const LENGTH = 200_000;
const random = (characters: string): string => {
  const from = [...characters];
  let [text, seed] = ['', 1];
  for (let i = 0; i < LENGTH; i++) {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    text += from[(seed >>> 16) % from.length];
  }
  return text;
};

/** Each took minutes when the time grew with the square of the length of a word. */
const longWords: Array<[string, string]> = [
  ['one letter', 'a'.repeat(LENGTH)],
  ['one capital letter', 'A'.repeat(LENGTH)],
  ['random letters', random('abcdefghijklmnopqrstuvwxyz')],
  ['base64', random('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/')],
  ['emoji', '😀👩‍👩‍👧'.repeat(LENGTH / 10)],
  [
    'Chinese without spaces',
    random('的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会'),
  ],
  ['combining marks', `e${'\u0301'.repeat(LENGTH)}`],
  ['spaces', ' '.repeat(LENGTH)],
  ['spaces before a word', `${' '.repeat(LENGTH)}x`],
  ['line ends', '\n'.repeat(LENGTH)],
  ['symbols', random('!@#$%^&*()_+-=[]{}|;:,.<>?/')],
];

test.each(longWords)(
  'a word of %s takes time in proportion to its length',
  { timeout: 60_000 },
  (_, text) => {
    expect(count(text)).toBeGreaterThan(0);
  },
);

test('cutting a word adds at most one token for each cut', () => {
  for (const [, text] of longWords) {
    const part = text.slice(0, 2_000);
    const [counted, exact] = [count(part), reference(part)];
    expect(counted).toBeGreaterThanOrEqual(exact);
    expect(counted).toBeLessThanOrEqual(exact + Math.ceil(part.length / 64));
  }
});
