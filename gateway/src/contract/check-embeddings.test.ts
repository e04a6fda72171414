import { describe, expect, test } from 'vitest';
import { checkEmbeddingsRequest } from './check-embeddings.ts';

const many = <Item>(count: number, item: Item): Item[] => Array.from({ length: count }, () => item);

test.each<[string, unknown]>([
  ['a text', 'hello'],
  ['texts', ['a', 'b']],
  ['token ids', [0, 1, 2]],
  ['lists of token ids', [[1], [2, 3]]],
  ['2,048 texts', many(2_048, 'a')],
  ['2,048 token ids', many(2_048, 7)],
])('%s are taken', (_, input) => {
  const request = { model: 'm', input, encoding_format: null, dimensions: null, user: null, more: { x: 1 } };
  expect(checkEmbeddingsRequest(request)).toBe(request);
});

describe('a request is refused by the name of the field', () => {
  test.each<[string, unknown, string, RegExp]>([
    ['an empty text', '', 'input', /must not be empty/],
    ['an empty list', [], 'input', /must not be an empty list/],
    ['an empty text in a list', ['a', ''], 'input[1]', /must not be empty/],
    ['an empty list in a list', [[1], []], 'input[1]', /must not be an empty list/],
    ['a negative id', [1, -1], 'input[1]', /whole number, 0 or more/],
    ['a fractional id', [[1], [2, 0.5]], 'input[1][1]', /whole number, 0 or more/],
    ['texts and ids', ['a', 1], 'input[1]', /must be a text, as input\[0\] is/],
    ['ids and texts', [1, 'a'], 'input[1]', /must be a token id, as input\[0\] is/],
    ['lists and texts', [[1], 'a'], 'input[1]', /must be a list of token ids, as input\[0\] is/],
    ['texts and lists', ['a', [1]], 'input[1]', /must be a text/],
    ['lists of texts', [['a']], 'input[0][0]', /must be a token id/],
    ['objects', [{ text: 'a' }], 'input[0]', /must be a text, a token id or a list/],
    ['nothing', null, 'input', /must be a string or an array/],
    ['a number', 5, 'input', /must be a string or an array/],
  ])('%s', (_, input, param, message) => {
    const check = () => checkEmbeddingsRequest({ model: 'm', input });
    expect(check).toThrow(expect.objectContaining({ code: 'invalid_parameter', param }));
    expect(check).toThrow(message);
  });

  test.each<[string, unknown, string]>([
    ['texts', many(2_049, 'a'), 'input'],
    ['token ids', many(32_769, 1), 'input'],
    ['lists', many(2_049, [1]), 'input'],
    ['token ids in a list', [[1], many(32_769, 1)], 'input[1]'],
  ])('2,049 %s are too many', (_, input, param) => {
    const check = () => checkEmbeddingsRequest({ model: 'm', input });
    expect(check).toThrow(expect.objectContaining({ code: 'batch_too_large', param }));
    expect(check).toThrow(/(2049 items; at most 2048|32769 items; at most 32768)/);
  });

  test.each<[object, string, RegExp]>([
    [{ input: 'a' }, 'model', /is required/],
    [{ model: 'm' }, 'input', /is required/],
    [
      { model: 'm', input: 'a', encoding_format: 'int8' },
      'encoding_format',
      /must be one of "float", "base64"/,
    ],
    [{ model: 'm', input: 'a', dimensions: 0 }, 'dimensions', />= 1/],
    [{ model: 'm', input: 'a', dimensions: 1.5 }, 'dimensions', /integer/],
    [{ model: 'm', input: 'a', user: 1 }, 'user', /string/],
  ])('%o', (request, param, message) => {
    expect(() => checkEmbeddingsRequest(request)).toThrow(
      expect.objectContaining({ code: 'invalid_parameter', param }),
    );
    expect(() => checkEmbeddingsRequest(request)).toThrow(message);
  });
});
