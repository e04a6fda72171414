import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyCharacter } from '../../test/support/any-character.ts';
import { ListOrder } from './page.ts';

const order = new ListOrder('things', ['text', 'whole', 'units']);
const invalid = expect.objectContaining({ code: 'invalid_parameter', param: 'cursor' });

test('a cursor returns the position it was made of', () => {
  const text = fc.string({ unit: anyCharacter, maxLength: 40 }).map((one) => one.toWellFormed());
  fc.assert(
    fc.property(text, fc.maxSafeInteger(), fc.bigInt(), (name, number, amount) => {
      const whole = number % 8_640_000_000_000_000;
      const position = [name, whole, String(amount % 10n ** 20n)] as const;
      const cursor = order.cursor(position);
      expect(cursor).toMatch(/^[\w-]+$/);
      expect(order.position(cursor)).toEqual(position);
    }),
  );
  expect(order.position(null)).toBeNull();
});

test('a cursor that was changed in any place, cut or extended is rejected', () => {
  const cursor = order.cursor(['key_1', 5, '0.5']);
  const changed = [...cursor].map(
    (letter, at) => `${cursor.slice(0, at)}${letter === 'A' ? 'B' : 'A'}${cursor.slice(at + 1)}`,
  );
  const cut = [...cursor].map((_, at) => cursor.slice(0, at));
  for (const one of [
    ...changed,
    ...cut,
    `${cursor}A`,
    `${cursor}=`,
    ` ${cursor}`,
    'null',
    'x'.repeat(10_000),
  ])
    expect(() => order.position(one), one).toThrow(invalid);
});

test.each([
  ['another list', new ListOrder('others', ['text', 'whole', 'units']).cursor(['a', 1, '1'])],
  ['fewer parts', new ListOrder('things', ['text']).cursor(['a'])],
  ['more parts', new ListOrder('things', ['text', 'whole', 'units', 'text']).cursor(['a', 1, '1', 'b'])],
  ['parts of another kind', new ListOrder('things', ['text', 'text', 'text']).cursor(['a', '1', '1'])],
  ['an amount that is none', new ListOrder('things', ['text', 'whole', 'text']).cursor(['a', 1, '1e5'])],
  [
    'a number without a time',
    new ListOrder('things', ['text', 'whole', 'units']).cursor(['a', 2 ** 53 - 1, '1']),
  ],
])('a cursor with %s is rejected', (_, cursor) => {
  expect(() => order.position(cursor)).toThrow(invalid);
});

test('one row more than the limit means that there is a next page, after the last row shown', () => {
  const byName = new ListOrder('names', ['text']);
  const page = byName.page(['a', 'b', 'c'], 2, (name) => [name]);
  expect(page.rows).toEqual(['a', 'b']);
  expect(byName.position(page.next)).toEqual(['b']);
  expect(byName.page(['a', 'b'], 2, (name) => [name])).toEqual({ rows: ['a', 'b'], next: null });
  expect(byName.page([], 2, (name: string) => [name])).toEqual({ rows: [], next: null });
});
