import { Type } from 'typebox';
import { describe, expect, test } from 'vitest';
import { inputSchemaOf } from '../contract/administration/admin-endpoint.ts';
import {
  AmountOrNone,
  CountOrNone,
  fields,
  Label,
  Password,
  SpaceName,
  Time,
  whole,
} from '../contract/administration/fields.ts';
import { InputCheck } from './check-input.ts';
import { operations } from './operations.ts';

const check = new InputCheck(
  'keys.create',
  fields({
    name: Label,
    space: SpaceName,
    kind: Type.Enum(['personal', 'shared']),
    days: Type.Optional(whole({ min: 1, max: 3_650 })),
    expires: Type.Optional(Time),
    month_limit: Type.Optional(AmountOrNone),
    requests_per_minute: Type.Optional(CountOrNone),
    tokens_per_minute: Type.Optional(CountOrNone),
    password: Type.Optional(Password),
  }),
  { optional: ['space'] },
);
const key = { name: 'laptop', kind: 'shared' };

test.each([
  key,
  { ...key, days: 1, month_limit: null, requests_per_minute: null, tokens_per_minute: 5 },
  { ...key, expires: '2026-12-31T23:59:59+09:00', month_limit: '2.5', space: undefined },
])('%j is passed on as it is', (input) => {
  expect(check.checked(input)).toBe(input);
});

test.each<[unknown, string]>([
  [null, 'The input of keys.create must be an object.'],
  [[], 'The input of keys.create must be an object.'],
  [{ kind: 'shared' }, 'name is required; it must be 1 to 120 characters on one line.'],
  [{ ...key, name: 'a\nb' }, 'name "a\\nb" is not valid: it must be 1 to 120 characters on one line.'],
  [{ ...key, name: 5 }, 'name 5 is not valid: it must be 1 to 120 characters on one line.'],
  [{ ...key, kind: 'odd' }, 'kind "odd" is not valid: it must be one of personal, shared.'],
  [{ ...key, days: '7' }, 'days "7" is not valid: it must be a whole number from 1 to 3650.'],
  [{ ...key, days: 0 }, 'days 0 is not valid: it must be a whole number from 1 to 3650.'],
  [
    { ...key, expires: '2026-12-31' },
    'expires "2026-12-31" is not valid: it must be a time with its zone, such as 2026-12-31T18:00:00+09:00.',
  ],
  [
    { ...key, month_limit: 2.5 },
    'month_limit 2.5 is not valid: it must be a decimal number of units as text, such as "12.5", or null for no limit.',
  ],
])('%j is rejected, naming the field and what is allowed', (input, message) => {
  expect(() => check.checked(input)).toThrow(message);
});

test('an unknown field is rejected with the names of the known ones', () => {
  expect(() => check.checked({ ...key, nam: 'x' })).toThrow(
    '"nam" is not a field of keys.create. Use name, space, kind, days,',
  );
  expect(() => check.checked({ ...key, __proto__: null, constructor: 1 })).toThrow(
    '"constructor" is not a field',
  );
});

test('a secret is never part of the error, and a long value is cut', () => {
  expect(() => check.checked({ ...key, password: 'p'.repeat(1_001) })).toThrow(
    'password is not valid: it must be 10 to 200 characters.',
  );
  expect(() => check.checked({ ...key, name: 'n'.repeat(1_000) })).toThrow(/^name "n{79}… is not valid/);
});

describe.each([...operations.values()])('$name', ({ endpoint, name }) => {
  const schemas = Object.entries(
    inputSchemaOf(endpoint).properties as Record<string, Record<string, unknown>>,
  );

  test('says of every field what is allowed, in words', () => {
    for (const [field, schema] of schemas) {
      expect(schema.enum ?? schema.description, field).toBeDefined();
      const alone = new InputCheck(name, Type.Object({ [field]: schema as never }));
      expect(() => alone.checked({ [field]: { a: 1 } })).toThrow(/ it must be [^\\^$]+\.$/);
    }
  });
});
