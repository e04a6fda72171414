import { describe, expect, test } from 'vitest';
import { ProviderMask } from '../provider-mask.ts';
import { mapGoogleError } from './map-error.ts';

const mask = ProviderMask.knowing('our-own-key');

const body = (error: object): Buffer => Buffer.from(JSON.stringify({ error }));

describe("Google's error", () => {
  test.each([
    [400, { status: 'INVALID_ARGUMENT', message: 'Invalid JSON payload received.' }, 'invalid_parameter'],
    [
      400,
      {
        status: 'INVALID_ARGUMENT',
        message: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
      },
      'context_length_exceeded',
    ],
    [
      400,
      { status: 'INVALID_ARGUMENT', message: 'API key not valid.', details: [{ reason: 'API_KEY_INVALID' }] },
      'upstream_error',
    ],
    [400, { status: 'FAILED_PRECONDITION', message: 'User location is not supported.' }, 'upstream_error'],
    [401, { status: 'UNAUTHENTICATED' }, 'upstream_error'],
    [403, { status: 'PERMISSION_DENIED' }, 'upstream_error'],
    [404, { status: 'NOT_FOUND' }, 'upstream_error'],
    [413, {}, 'request_too_large'],
    [429, { status: 'RESOURCE_EXHAUSTED' }, 'rate_limit_exceeded'],
    [499, { status: 'CANCELLED' }, 'upstream_error'],
    [500, { status: 'INTERNAL' }, 'upstream_error'],
    [503, { status: 'UNAVAILABLE' }, 'upstream_unavailable'],
    [504, { status: 'DEADLINE_EXCEEDED' }, 'upstream_timeout'],
    [302, {}, 'upstream_error'],
  ])('%i %o becomes %s', (status, error, code) => {
    expect(mapGoogleError(status, body(error), mask).code).toBe(code);
  });

  test('in a stream is mapped by its status name, since it has no HTTP status', () => {
    const error = { code: 503, status: 'UNAVAILABLE', message: 'The model is overloaded.' };
    expect(mapGoogleError(500, body(error), mask).code).toBe('upstream_unavailable');
  });

  test('has the retry delay, if Google sends one', () => {
    const details = [
      { '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations: [] },
      { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.07s' },
    ];
    const error = { status: 'RESOURCE_EXHAUSTED', message: 'Quota exceeded.', details };
    expect(mapGoogleError(429, body(error), mask).retryAfterMs).toBe(34_070);
    expect(mapGoogleError(429, body({ status: 'RESOURCE_EXHAUSTED' }), mask).retryAfterMs).toBeNull();
  });

  test('in a list is mapped as well', () => {
    const list = Buffer.from(JSON.stringify([{ error: { status: 'RESOURCE_EXHAUSTED' } }]));
    expect(mapGoogleError(429, list, mask).code).toBe('rate_limit_exceeded');
  });

  test('has no keys, addresses or provider names', () => {
    const message =
      'The key our-own-key or AIzaSyA1234567890abcdefghijklmnopqrstuv may not call Gemini at ' +
      'https://generativelanguage.googleapis.com/v1beta of Google.';
    const { detail } = mapGoogleError(400, body({ status: 'INVALID_ARGUMENT', message }), mask);
    expect(detail).not.toMatch(/google|gemini|our-own-key|AIza|https/i);
    expect(detail.length).toBeGreaterThan(10);
  });

  test.each(['', '<html>', '{"error":null}', '[]', '"x"', 'null'])(
    'that cannot be read is answered: %s',
    (text) => {
      expect(mapGoogleError(500, Buffer.from(text), mask).code).toBe('upstream_error');
      expect(mapGoogleError(400, Buffer.from(text), mask).detail).toBe('The provider rejected the request.');
    },
  );
});

test.each([
  ['* GenerateContentRequest.contents[0].parts: contents.parts must not be empty.\n', 'contents[0].parts'],
  ['Invalid value at \'generation_config.seed\' (TYPE_INT32), "x"', 'generation_config.seed'],
  ['Budget 0 is invalid. This model only works in thinking mode.', 'generation_config.thinking_config'],
  ['Thinking level MEDIUM is not supported for this model.', 'generation_config.thinking_config'],
  [
    "Function calling with a response mime type: 'application/json' is unsupported",
    'generation_config.response_mime_type',
  ],
  ['Please use a valid role: user, model.', null],
])('the field that %o is about is named for text calls', (message, param) => {
  const said = body({ status: 'INVALID_ARGUMENT', message });
  expect(mapGoogleError(400, said, mask, { named: true }).param).toBe(param);
  expect(mapGoogleError(400, said, mask).param).toBeNull();
});
