import { expect, test } from 'vitest';
import { CannotCarry } from '../../text/text-call.ts';
import { writeSchema } from './write-schema.ts';

const write = (schema: object): unknown => writeSchema(schema, 'responseFormat');

test.each<[string, object, object]>([
  [
    'bounds',
    { type: 'integer', minimum: 1, maximum: 9 },
    { type: 'integer', description: '{minimum: 1, maximum: 9}' },
  ],
  [
    'bounds, behind its own words',
    { type: 'number', description: 'A share.', exclusiveMinimum: 0, multipleOf: 0.5 },
    { type: 'number', description: 'A share.\n\n{exclusiveMinimum: 0, multipleOf: 0.5}' },
  ],
  [
    'bounds of what may be null',
    { type: ['integer', 'null'], minimum: 1 },
    { type: ['integer', 'null'], description: '{minimum: 1}' },
  ],
  [
    'lengths',
    { type: 'string', minLength: 1, maxLength: 2 },
    { type: 'string', description: '{minLength: 1, maxLength: 2}' },
  ],
  [
    'counts',
    { type: 'array', items: { type: 'string', maxLength: 3 }, minItems: 2, maxItems: 4, uniqueItems: true },
    {
      type: 'array',
      items: { type: 'string', description: '{maxLength: 3}' },
      description: '{minItems: 2, maxItems: 4, uniqueItems: true}',
    },
  ],
  [
    'a format that is not known',
    { type: 'string', format: 'phone' },
    { type: 'string', description: '{format: "phone"}' },
  ],
  [
    'a pattern that looks around',
    { type: 'string', pattern: '^(?=a)' },
    { type: 'string', description: '{pattern: "^(?=a)"}' },
  ],
  ['what nobody knows', { type: 'string', 'x-order': 3 }, { type: 'string', description: '{x-order: 3}' }],
])('unsupported keywords move to the description: %s', (_, given, expected) => {
  expect(write(given)).toEqual(expected);
});

test.each<[string, object]>([
  ['a choice', { type: 'string', enum: ['a', 'b'], default: 'a', title: 'T' }],
  ['one value', { const: 3 }],
  ['a list that is not empty', { type: 'array', items: { type: 'string' }, minItems: 1 }],
  ['a known format', { type: 'string', format: 'date-time' }],
  ['a plain pattern', { type: 'string', pattern: '^[a-z]+(?:-[a-z]+)*$' }],
  ['alternatives', { anyOf: [{ type: 'string' }, { type: 'null' }], description: 'Or none.' }],
  ['no word at all', {}],
])('supported keywords are unchanged: %s', (_, given) => {
  expect(write(given)).toEqual(given);
});

test('objects at any depth allow no additional properties', () => {
  const given = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: {
      minimum: { type: 'object', properties: { n: { type: 'integer', minimum: 0 } }, required: ['n'] },
      one: { $ref: '#/$defs/node', description: 'left out beside a reference' },
      either: { oneOf: [{ type: 'object', additionalProperties: true }, { type: 'null' }] },
    },
    $defs: { node: { type: ['object', 'null'], properties: { next: { $ref: '#/$defs/node' } } } },
  };
  expect(write(given)).toEqual({
    type: 'object',
    additionalProperties: false,
    properties: {
      minimum: {
        type: 'object',
        additionalProperties: false,
        properties: { n: { type: 'integer', description: '{minimum: 0}' } },
        required: ['n'],
      },
      one: { $ref: '#/$defs/node' },
      either: { anyOf: [{ type: 'object', additionalProperties: false }, { type: 'null' }] },
    },
    $defs: {
      node: {
        type: ['object', 'null'],
        additionalProperties: false,
        properties: { next: { $ref: '#/$defs/node' } },
      },
    },
  });
});

test('a map, which could only be empty, is rejected', () => {
  const map = {
    type: 'object',
    properties: { m: { type: 'object', additionalProperties: { type: 'string' } } },
  };
  expect(() => write(map)).toThrow(CannotCarry);
});
