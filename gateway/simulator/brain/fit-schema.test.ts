import { describe, expect, test } from 'vitest';
import { fitSchema } from './fit-schema.ts';
import { rollDice } from './words.ts';

describe('a value fits its schema', () => {
  test.each<[string, unknown, (value: never) => boolean]>([
    ['const', { const: 7 }, (value) => value === 7],
    ['enum', { enum: ['a', null] }, (value) => ['a', null].includes(value)],
    ['a nullable type', { type: ['null', 'integer'] }, (value) => Number.isInteger(value)],
    ['bounds', { type: 'number', exclusiveMinimum: 2, maximum: 2.5 }, (value) => value > 2 && value <= 2.5],
    [
      'negative bounds',
      { type: 'integer', maximum: -5 },
      (value: number) => Number.isInteger(value) && value <= -5,
    ],
    [
      'multiples',
      { type: 'integer', minimum: 1, multipleOf: 5 },
      (value: number) => value >= 5 && value % 5 === 0,
    ],
    [
      'lengths',
      { type: 'string', minLength: 30, maxLength: 31 },
      (value: string) => [30, 31].includes(value.length),
    ],
    [
      'patterns',
      { type: 'string', pattern: '^(?:[A-Z]{3}-\\d{2,4}|v[^a-y]+\\.(x|y)?)$' },
      (value: string) => /^(?:[A-Z]{3}-\d{2,4}|v[^a-y]+\.(x|y)?)$/.test(value),
    ],
    ['formats', { type: 'string', format: 'date' }, (value) => value === '2026-01-01'],
    [
      'tuples',
      { prefixItems: [{ type: 'null' }, { const: 1 }] },
      (value) => JSON.stringify(value) === '[null,1]',
    ],
    [
      'counts',
      { type: 'array', items: { type: 'boolean' }, minItems: 3 },
      (value: unknown[]) => value.length === 3,
    ],
    ['no items', { type: 'array', maxItems: 0 }, (value: unknown[]) => value.length === 0],
    ['any of', { anyOf: [{ type: 'boolean' }, { type: 'null' }] }, (value) => typeof value === 'boolean'],
    [
      'all of',
      {
        allOf: [
          { properties: { a: { const: 1 } }, required: ['a'] },
          { properties: { b: { const: 2 } }, required: ['b'] },
        ],
      },
      (value) => JSON.stringify(value) === '{"a":1,"b":2}',
    ],
    ['references', { $ref: '#/$defs/a~1b', $defs: { 'a/b': { const: 'x' } } }, (value) => value === 'x'],
  ])('%s', (_, schema, fits) => {
    for (let seed = 0; seed < 50; seed++) expect(fits(fitSchema(schema, rollDice(seed)) as never)).toBe(true);
  });

  test('as far as it can where none is finite', () => {
    const twins = { properties: { a: { $ref: '#' }, b: { $ref: '#' } }, required: ['a', 'b'] };
    expect(JSON.stringify(fitSchema(twins, rollDice(1))).length).toBeLessThan(100_000);
    expect(() => fitSchema({ allOf: [{ $ref: '#' }] }, rollDice(1))).not.toThrow();
    expect(() => fitSchema({ anyOf: [{ $ref: '#' }] }, rollDice(1))).not.toThrow();
  });

  test('of a tree that refers to itself', () => {
    const node = {
      type: 'object',
      properties: { next: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] } },
      required: ['next'],
    };
    const value = fitSchema({ $ref: '#/$defs/node', $defs: { node } }, rollDice(1));
    expect(JSON.stringify(value)).toMatch(/^(\{"next":)+null\}+$/);
  });
});
