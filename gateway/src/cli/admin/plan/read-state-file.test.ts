import { expect, test } from 'vitest';
import { exampleFile } from './example-file.ts';
import { readStateFile } from './read-state-file.ts';

const read = (text: string) => readStateFile('state.yaml', text).content;

test('values are read as the API takes them; an amount never passes through a number', () => {
  const text = `
spaces:
  acme:
    requests_per_minute: none
    members: { kim@example.com: { month_limit: 0.100000000001 }, lee@example.com: }
    keys: { ci: { models: all, expires: 2026-12-31T00:00:00Z }, two: { models: [a], expires: 2026-12-31 } }
`;
  expect(read(text)).toEqual({
    spaces: {
      acme: {
        requests_per_minute: null,
        members: { 'kim@example.com': { month_limit: '0.100000000001' }, 'lee@example.com': {} },
        keys: {
          ci: { models: null, expires: '2026-12-31T00:00:00.000Z' },
          two: { models: ['a'], expires: '2026-12-31T23:59:59+09:00' },
        },
      },
    },
  });
});

test('anchors and merge keys work', () => {
  const text = 'spaces: { acme: { keys: { a: &usual { month_limit: 5 }, b: { <<: *usual, days: 7 } } } }';
  expect(read(text).spaces.acme?.keys).toEqual({ a: { month_limit: '5' }, b: { month_limit: '5', days: 7 } });
});

test('every mistake is reported at once, with its line and its field', () => {
  const text = `spaces:
  Acme: {}
  acme:
    overrage: true
    blocked: maybe
    members:
      kim: { role: admin }
      lee@example.com:
        role: king
        month_limit: -5
      LEE@example.com: {}
    keys:
      ci:
        days: 0
        month_limit: 1e3
        models: []
    grants:
      q4: { kind: paid, expires: soon }
    projects: [shop]
`;
  expect(() => read(text)).toThrow(`state.yaml cannot be applied; nothing was changed.
  state.yaml:2 spaces.Acme is not a valid name: it must be the name of a space: 1 to 63 lower-case letters, digits or hyphens, not beginning with a hyphen.
  state.yaml:4 spaces.acme.overrage is not a known field. Did you mean overage?
  state.yaml:5 spaces.acme.blocked "maybe" is not valid: it must be true or false.
  state.yaml:7 spaces.acme.members.kim is not a valid name: it must be an e-mail address.
  state.yaml:9 spaces.acme.members.lee@example.com.role "king" is not valid: it must be one of admin, member.
  state.yaml:10 spaces.acme.members.lee@example.com.month_limit "-5" is not valid: it must be a decimal number of units as text, such as "12.5", or null for no limit.
  state.yaml:11 spaces.acme.members.LEE@example.com is the same address as lee@example.com.
  state.yaml:14 spaces.acme.keys.ci.days "0" is not valid: it must be a whole number of days from 1 to 3650 that a new key is valid.
  state.yaml:15 spaces.acme.keys.ci.month_limit "1e3" is not valid: it must be a decimal number of units as text, such as "12.5", or null for no limit.
  state.yaml:16 spaces.acme.keys.ci.models [] is not valid: it must be a list of 1 to 100 model codes, or null for all models.
  state.yaml:18 spaces.acme.grants.q4.amount is required.
  state.yaml:18 spaces.acme.grants.q4.expires "soon" is not valid: it must be a day (KST) such as 2026-12-31, or a time with its zone.
  state.yaml:19 spaces.acme.projects must be a mapping of names to their settings.`);
});

test.each([
  ['spaces: [', 'state.yaml:1 is not valid YAML:'],
  ['spaces: { a: {}, a: {} }', 'state.yaml:1 is not valid YAML: Map keys must be unique'],
  ['', 'state.yaml:1 spaces is required.'],
  ['- a', 'state.yaml:1 must be a mapping; its fields are spaces.'],
  ['space: {}', 'space is not a known field. Did you mean spaces?'],
  ['spaces: { acme: { constructor: 1 } }', 'constructor is not a known field.'],
])('%j is rejected', (text, message) => {
  expect(() => read(text)).toThrow(message);
});

test('the example is valid, and has every field', () => {
  const { acme } = read(exampleFile).spaces;
  expect(Object.keys(acme ?? {})).toEqual(
    expect.arrayContaining(['overage', 'members', 'keys', 'grants', 'projects']),
  );
});
