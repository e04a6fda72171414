import { describe, expect, test } from 'vitest';
import { ProviderMask } from '../provider-mask.ts';
import { mapAnthropicError } from './map-error.ts';

const mask = ProviderMask.knowing('our-own-key');
const body = (error: unknown): Buffer => Buffer.from(JSON.stringify({ type: 'error', error }));
const invalid = (message: string) => ({ type: 'invalid_request_error', message });

describe("Anthropic's error", () => {
  test.each([
    [400, invalid('prompt is too long: 210000 tokens > 200000 maximum'), 'context_length_exceeded'],
    [
      400,
      invalid('input length and `max_tokens` exceed context limit: 1 + 2 > 2'),
      'context_length_exceeded',
    ],
    [400, invalid('Output blocked by content filtering policy'), 'content_blocked'],
    [400, invalid('Your credit balance is too low to access the Anthropic API.'), 'upstream_error'],
    [400, invalid('max_tokens: Field required'), 'invalid_parameter'],
    [401, { type: 'authentication_error', message: 'invalid x-api-key' }, 'upstream_error'],
    [403, { type: 'permission_error', message: 'no' }, 'upstream_error'],
    [404, { type: 'not_found_error', message: 'model: claude-x' }, 'upstream_error'],
    [413, { type: 'request_too_large', message: 'Request exceeds the maximum size' }, 'request_too_large'],
    [408, {}, 'upstream_timeout'],
    [429, { type: 'rate_limit_error', message: 'slow down' }, 'rate_limit_exceeded'],
    [500, { type: 'api_error', message: 'Internal server error' }, 'upstream_error'],
    [503, {}, 'upstream_unavailable'],
    [529, { type: 'overloaded_error', message: 'Overloaded' }, 'upstream_unavailable'],
    [302, {}, 'upstream_error'],
  ])('%i %o becomes %s', (status, error, code) => {
    expect(mapAnthropicError(status, body(error), mask).code).toBe(code);
  });

  test.each([
    ['overloaded_error', 'upstream_unavailable'],
    ['rate_limit_error', 'rate_limit_exceeded'],
    ['invalid_request_error', 'invalid_parameter'],
    ['authentication_error', 'upstream_error'],
    ['timeout_error', 'upstream_timeout'],
    ['api_error', 'upstream_error'],
    ['something_new', 'upstream_error'],
  ])('of the type %s in a stream becomes %s', (type, code) => {
    expect(mapAnthropicError(500, body({ type, message: 'x' }), mask).code).toBe(code);
  });

  test('has the field that the message names', () => {
    const at = (message: string) => mapAnthropicError(400, body(invalid(message)), mask).param;
    expect(at('messages.0.content.12.type: Field required')).toBe('messages[0].content[12].type');
    expect(at('max_tokens: 5 > 4')).toBe('max_tokens');
    expect(at('`temperature` is deprecated for this model.')).toBe('temperature');
    expect(at('"thinking.type.disabled" is not supported for this model. Use …')).toBe('thinking.type');
    expect(at('adaptive thinking is not supported on this model')).toBe('thinking.type');
    expect(at('This model does not support the effort parameter.')).toBe('output_config.effort');
    expect(at('tool_choice: type "tool" and "any" are not supported for this model.')).toBe('tool_choice');
    expect(at('This model does not support assistant message prefill. The conversation …')).toBe('messages');
    expect(at('Could not process image')).toBeNull();
  });

  test('has no keys, accounts, addresses or provider names', () => {
    const said =
      "Anthropic's org-AbC123456789 has our-own-key; see https://console.anthropic.com about Claude";
    const { detail } = mapAnthropicError(400, body(invalid(said)), mask);
    expect(detail).not.toMatch(/anthropic|claude|our-own-key|org-|https/i);
    expect(detail.length).toBeGreaterThan(10);
  });

  test.each(['', '<html>', '{"error":null}', '[]', '"x"', '{"error":"text"}'])(
    'that is %j is still answered',
    (text) => {
      expect(mapAnthropicError(500, Buffer.from(text), mask).code).toBe('upstream_error');
    },
  );
});
