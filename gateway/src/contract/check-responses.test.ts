import { describe, expect, test } from 'vitest';
import { checkResponsesRequest } from './check-responses.ts';

const good = { model: 'm', input: 'hi' };

describe('a responses request that does not fit', () => {
  test.each<[string, object, string, string | RegExp]>([
    ['no input', { input: undefined }, 'input', 'input is required.'],
    ['an input of another type', { input: 5 }, 'input', 'input must be a string or an array.'],
    ['an empty input', { input: [] }, 'input', /fewer than 1/],
    ['an unknown role', { input: [{ role: 'usr', content: 'x' }] }, 'input[0].role', /one of "user"/],
    ['no content', { input: [{ role: 'user' }] }, 'input[0].content', /is required/],
    [
      'a role of another message',
      { input: [{ id: 'x', role: 'usr', content: '' }] },
      'input[0].role',
      /one of/,
    ],
    [
      'an image as chat has it',
      { input: [{ role: 'user', content: [{ type: 'input_image', image_url: { url: 'x' } }] }] },
      'input[0].content[0].image_url',
      /must be a string/,
    ],
    [
      'a call without arguments',
      { input: [{ type: 'function_call', call_id: 'c', name: 'f' }] },
      'input[0].arguments',
      /is required/,
    ],
    [
      'a result without its call',
      { input: [{ type: 'function_call_output', output: 'x' }] },
      'input[0].call_id',
      /is required/,
    ],
    ['a hot model', { temperature: 2.1 }, 'temperature', /must be <= 2/],
    [
      'too much metadata',
      { metadata: Object.fromEntries([...Array(17).keys()].map((k) => [k, ''])) },
      'metadata',
      /16/,
    ],
    ['metadata that is no text', { metadata: { a: 1 } }, 'metadata.a', /must be a string/],
    ['a background response that is not kept', { background: true, store: false }, 'store', /is kept/],
    ['a conversation', { conversation: 'conv_1' }, 'conversation', /previous_response_id/],
    [
      'two formats',
      { response_format: { type: 'json_object' }, text: { format: { type: 'text' } } },
      'response_format',
      /send only one of them/,
    ],
    ['an unknown format', { text: { format: { type: 'xml' } } }, 'text.format.type', /must be one of/],
  ])('with %s names the field and what is expected there', (_, more, param, detail) => {
    const sent: unknown = JSON.parse(JSON.stringify({ ...good, ...more }));
    expect(() => checkResponsesRequest(sent)).toThrow(
      expect.objectContaining({ code: 'invalid_parameter', param, detail: expect.stringMatching(detail) }),
    );
  });

  test.each([
    ['as chat has it', { function: { name: 'f' } }, 'tools[0].function', /beside its type/],
    ['without a name', {}, 'tools[0].name', /is required/],
    ['with a bad name', { name: 'a b' }, 'tools[0].name', /must match/],
  ])('in a tool %s has a code of its own', (_, tool, param, detail) => {
    expect(() => checkResponsesRequest({ ...good, tools: [{ type: 'function', ...tool }] })).toThrow(
      expect.objectContaining({ code: 'tool_format_invalid', param, detail: expect.stringMatching(detail) }),
    );
  });
});

describe('a namespace of functions', () => {
  const functions = (count: number): object[] =>
    Array.from({ length: count }, (_, i) => ({ type: 'function', name: `f${i}` }));
  const space = (name: string, tools: unknown): object => ({ type: 'namespace', name, tools });

  test('is taken with what it holds', () => {
    expect(() => checkResponsesRequest({ ...good, tools: [space('n', functions(3))] })).not.toThrow();
  });

  test.each([
    ['no functions', [{ type: 'namespace', name: 'n' }], 'tools[0].tools', /is required/],
    [
      'a function without a name',
      [space('n', [{ type: 'function' }])],
      'tools[0].tools[0].name',
      /is required/,
    ],
    ['no name', [{ type: 'namespace', tools: [] }], 'tools[0].name', /is required/],
    [
      'too many functions in all',
      Array.from({ length: 9 }, (_, i) => space(`n${i}`, functions(120))),
      'tools',
      /more than 1024/,
    ],
  ])('with %s is rejected, naming the field', (_, tools, param, detail) => {
    expect(() => checkResponsesRequest({ ...good, tools })).toThrow(
      expect.objectContaining({ code: 'tool_format_invalid', param, detail: expect.stringMatching(detail) }),
    );
  });
});

test('what we do not know is passed on, and null stands for "not given"', () => {
  const request = {
    ...good,
    input: [
      { role: 'user', content: 'x', id: 'msg_1', status: 'completed' },
      { type: 'item_reference', id: 'rs_1' },
      { id: 'rs_2' },
      { type: 'computer_call_output', output: { type: 'computer_screenshot' } },
    ],
    tools: [
      { type: 'web_search', filters: {} },
      { type: 'function', name: 'f', strict: null },
    ],
    tool_choice: { type: 'web_search' },
    temperature: null,
    text: { format: null },
    reasoning: null,
    conversation: null,
    whatever: { x: 1 },
  };
  expect(checkResponsesRequest(request)).toBe(request);
});
