import { describe, expect, test } from 'vitest';
import { ProviderMask } from '../provider-mask.ts';
import { mapOpenaiError } from './map-error.ts';

const mask = ProviderMask.knowing('our-own-key');

const body = (error: object | string): Buffer => Buffer.from(JSON.stringify({ error }));

describe("a provider's error", () => {
  test.each([
    [400, { code: 'context_length_exceeded', message: 'too long' }, 'context_length_exceeded'],
    [400, { code: 'content_policy_violation', message: 'no' }, 'content_blocked'],
    [
      400,
      { code: 'unsupported_parameter', param: 'max_tokens', message: 'no max_tokens' },
      'unsupported_parameter',
    ],
    [422, { message: 'odd' }, 'invalid_parameter'],
    [413, {}, 'request_too_large'],
    [408, {}, 'upstream_timeout'],
    [504, {}, 'upstream_timeout'],
    [429, {}, 'rate_limit_exceeded'],
    [503, {}, 'upstream_unavailable'],
    [529, {}, 'upstream_unavailable'],
    [500, {}, 'upstream_error'],
    [401, { message: 'bad key sk-abc' }, 'upstream_error'],
    [404, { message: 'no such model' }, 'upstream_error'],
    [302, {}, 'upstream_error'],
  ])('%i %o becomes %s', (status, error, code) => {
    expect(mapOpenaiError(status, body(error), mask).code).toBe(code);
  });

  test.each([
    ['rate_limit_exceeded', 'rate_limit_exceeded'],
    ['vector_store_timeout', 'upstream_timeout'],
    ['invalid_prompt', 'content_blocked'],
    ['image_content_policy_violation', 'content_blocked'],
    ['invalid_base64_image', 'invalid_parameter'],
    ['server_error', 'upstream_error'],
  ])('in a failed response is mapped by its code: %s becomes %s', (code, expected) => {
    expect(mapOpenaiError(500, body({ code, message: 'x' }), mask).code).toBe(expected);
  });

  test('keeps the invalid field', () => {
    const problem = mapOpenaiError(400, body({ message: 'bad', param: 'messages[0].content' }), mask);
    expect(problem.param).toBe('messages[0].content');
  });

  test.each([
    'Incorrect API key provided: sk-proj-AbCdEf123456789. Find it at https://platform.openai.com/account',
    'Your organization org-AbC123456789 must be verified at api.openai.com',
    "OpenAI's servers said Bearer abc.def.ghi",
    'You sent our-own-key, which is not a key of ours',
    'Project proj_ABCdef12345 of Anthropic has no access',
    'The key AIzaSyA1234567890abcdefghijklmnopqrstuv is invalid for Google',
  ])('has no keys, accounts, addresses or provider names: %s', (message) => {
    const { detail } = mapOpenaiError(400, body({ message }), mask);
    expect(detail).not.toMatch(/openai|anthropic|google|our-own-key|sk-|org-|proj_|abc\.def|AIza|https/i);
    expect(detail.length).toBeGreaterThan(10);
  });

  test.each([
    ['', 'empty'],
    ['<html>', 'HTML'],
    ['{"error":null}', 'null'],
    ['[]', 'array'],
    ['"x"', 'text'],
  ])('that is %s (%s) still becomes a Problem', (text) => {
    expect(mapOpenaiError(500, Buffer.from(text), mask).code).toBe('upstream_error');
  });
});
