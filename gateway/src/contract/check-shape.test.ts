import { Type } from 'typebox';
import { describe, expect, test } from 'vitest';
import { ChatRequest } from './chat.ts';
import { Shape } from './check-shape.ts';

const shape = new Shape(ChatRequest);
const good = { model: 'm', messages: [{ role: 'user', content: 'hi' }] };

describe('a request that does not fit', () => {
  test.each([
    ['a missing field', { model: 'm' }, 'messages', 'is required'],
    ['a wrong type', { ...good, model: 1 }, 'model', 'must be a string'],
    ['a number out of range', { ...good, temperature: 3 }, 'temperature', 'must be <= 2'],
    ['infinity', { ...good, temperature: Number.POSITIVE_INFINITY }, 'temperature', /must be/],
    ['a fraction', { ...good, n: 1.5 }, 'n', 'must be an integer'],
    ['a wrong word', { ...good, messages: [{ role: 'usr' }] }, 'messages[0].role', /must be one of "system"/],
    [
      'a wrong part',
      { ...good, messages: [{ role: 'user', content: [{ text: 'x' }] }] },
      'messages[0].content[0].type',
      /is required/,
    ],
    [
      'a union',
      { ...good, messages: [{ role: 'user', content: 5 }] },
      'messages[0].content',
      'must be a string or an array',
    ],
    ['an empty list', { ...good, messages: [] }, 'messages', /must not have fewer than 1 items/],
  ])('with %s names the field and what is expected there', (_, value, path, message) => {
    const error = shape.error(value);
    expect(error?.path).toBe(path);
    expect(error?.message).toMatch(message);
  });

  test('in a very long list is explained by looking at its beginning only', () => {
    let looks = 0;
    const wrong = {
      get role() {
        looks++;
        return 'usr';
      },
    };
    const error = shape.error({ ...good, messages: new Array(900_000).fill(wrong) });
    expect(error?.path).toBe('messages[0].role');
    expect(looks).toBeLessThan(100_000);
  });

  test('in its tools has a code of its own', () => {
    const tools = [{ type: 'function', function: { name: 'a b' } }];
    expect(() => shape.check({ ...good, tools })).toThrow(
      expect.objectContaining({ code: 'tool_format_invalid' }),
    );
  });

  test('names a field that is not known where none are allowed', () => {
    const closed = new Shape(
      Type.Object({ a: Type.Optional(Type.String()) }, { additionalProperties: false }),
    );
    expect(closed.error({ b: 1 })).toEqual({ path: 'b', message: 'is not a known field' });
  });
});

test('null stands for "not given", and fields we do not know are left alone', () => {
  expect(shape.error({ ...good, temperature: null, tools: null, stop: null, whatever: { x: 1 } })).toBeNull();
});
