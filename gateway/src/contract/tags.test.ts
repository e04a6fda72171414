import { expect, test } from 'vitest';
import { readTags, TAGS_CHARACTERS_MAX, tagsInMetadata } from './tags.ts';

test('tags are read without the spaces around them', () => {
  expect(readTags(' team = search , cost-center=a=b c')).toEqual([
    ['team', 'search'],
    ['cost-center', 'a=b c'],
  ]);
});

test('the longest text with tags is read', () => {
  const text = Array.from(
    { length: 16 },
    (_, i) => `k${String(i).padStart(63, '0')}=${'v'.repeat(128)}`,
  ).join(',');
  expect(text).toHaveLength(TAGS_CHARACTERS_MAX - 1);
  expect(readTags(text)).toHaveLength(16);
});

test('what does not fit as a tag in metadata is none, and rejects nothing', () => {
  const metadata = {
    team: 'search, and 한글',
    'two words': 'x',
    number: 5,
    empty: '',
    control: 'a\nb',
    half: '\ud800',
    long: 'x'.repeat(129),
  };
  expect(tagsInMetadata(metadata)).toEqual([['team', 'search, and 한글']]);
  expect(tagsInMetadata(null)).toEqual([]);
  expect(tagsInMetadata('team')).toEqual([]);
});
