/** Declarations of dialects and vendors that would hide each other. */
import { expect, test } from 'vitest';
import { ProviderEntry } from '../provider-entry.ts';
import { dialectFacts, ownFields, serviceFacts, vendorNames } from './dialects.ts';

const all = Object.values(dialectFacts);
const families = all.flatMap(({ priceFamily, vendors, services }) => [
  ...(priceFamily === undefined ? [] : [priceFamily]),
  ...Object.keys({ ...vendors, ...services }),
]);

test.each([
  [
    'a key of the configuration belongs to one dialect',
    all.flatMap(({ own }) => Object.keys(own?.fields ?? {})),
  ],
  ['a vendor belongs to one dialect', vendorNames],
  ['a host belongs to one service', serviceFacts.flatMap(({ host }) => host ?? [])],
  [
    'a name in price sources belongs to one service',
    serviceFacts.flatMap(({ sourceNames }) => sourceNames ?? []),
  ],
])('%s', (_, names) => {
  expect(names.length).toBeGreaterThan(0);
  expect(names.toSorted()).toEqual([...new Set(names)].toSorted());
});

test('a name in price sources is not the name of another family', () => {
  expect(
    serviceFacts.flatMap(({ sourceNames }) => sourceNames ?? []).filter((name) => families.includes(name)),
  ).toEqual([]);
});

test('every key that only one dialect has is a key of a provider, and none replaces a shared key', () => {
  const keys = Object.keys(ProviderEntry.properties);
  expect(keys).toEqual(expect.arrayContaining(Object.keys(ownFields)));
  const shared = 'dialect vendor region base_url api_key api_keys simulated propagate_trace only_if'.split(
    ' ',
  );
  expect(keys.toSorted()).toEqual([...shared, ...Object.keys(ownFields)].toSorted());
});

test('what a service is called in errors is a plain word, because a pattern is made of it', () => {
  const words = serviceFacts.flatMap(({ spokenNames }) => spokenNames ?? []);
  expect(words.filter((word) => !/^[A-Za-z0-9]+$/.test(word))).toEqual([]);
});
