import { describe, expect, test } from 'vitest';
import { namedField } from '../named-field.ts';
import { ProviderMask } from '../provider-mask.ts';
import { bedrockFields } from './field-names.ts';
import { mapBedrockError } from './map-error.ts';

const mask = ProviderMask.knowing('AKIDOURS:our/own+secret:our-session');

const BY_MODEL = 'The model returned the following errors:';
const body = (message: string): Buffer => Buffer.from(JSON.stringify({ message }));

describe("Bedrock's error", () => {
  test.each([
    [400, 'The provided model identifier is invalid.', 'invalid_parameter'],
    [400, 'Input is too long for requested model.', 'context_length_exceeded'],
    [
      400,
      'The model returned the following errors: prompt is too long: 208310 tokens > 200000 maximum',
      'context_length_exceeded',
    ],
    [403, 'The request signature we calculated does not match.', 'upstream_error'],
    [404, 'Could not resolve the foundation model.', 'upstream_error'],
    [408, '', 'upstream_timeout'],
    [413, '', 'request_too_large'],
    [424, 'The model failed.', 'upstream_error'],
    [429, 'Too many requests, please wait.', 'rate_limit_exceeded'],
    [500, '', 'upstream_error'],
    [503, '', 'upstream_unavailable'],
    [504, '', 'upstream_timeout'],
  ])('%i "%s" becomes %s', (status, message, code) => {
    expect(mapBedrockError(status, body(message), mask).code).toBe(code);
  });

  test.each([
    ['throttlingException', 'rate_limit_exceeded'],
    ['serviceUnavailableException', 'upstream_unavailable'],
    ['validationException', 'invalid_parameter'],
    ['modelStreamErrorException', 'upstream_error'],
    ['somethingNew', 'upstream_error'],
  ])('the exception %s in a stream becomes %s', (type, code) => {
    const error = Buffer.from(JSON.stringify({ error: { type, message: 'no' } }));
    expect(mapBedrockError(500, error, mask).code).toBe(code);
  });

  test.each([
    [
      "1 validation error detected: Value at 'inferenceConfig.temperature' failed to satisfy constraint: …",
      'temperature',
    ],
    ["1 validation error detected: Value at 'toolConfig.tools.1.member.toolSpec.name' failed …", 'tools'],
    ['The value at messages.0.role is not valid.', 'messages'],
    [`${BY_MODEL} \`temperature\` may only be set to 1 when thinking is enabled`, 'temperature'],
    [`${BY_MODEL} output_config.format: Extra inputs are not permitted`, 'responseFormat'],
    [`${BY_MODEL} "thinking.type.enabled" is not supported for this model.`, 'reasoning'],
    ['Something else.', null],
  ])('%s is about %s', (message, field) => {
    const { param } = mapBedrockError(400, body(message), mask);
    expect(param === null ? null : namedField(bedrockFields, param)).toBe(field);
  });

  test('about our key says only that the operator must fix it', () => {
    expect(mapBedrockError(403, body('User: arn:aws:iam::1:user/x'), mask).detail).toMatch(/operator/);
  });

  test('has no keys, accounts, addresses or provider names', () => {
    const message =
      'AKIDOURS with our/own+secret and our-session, or AKIAIOSFODNN7EXAMPLE, may not call ' +
      'arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.x at bedrock-runtime.us-east-1.amazonaws.com ' +
      'of Amazon Bedrock on AWS.';
    const { detail } = mapBedrockError(400, body(message), mask);
    expect(detail).not.toMatch(/AKI|our\/own|our-session|arn:|123456789012|bedrock|amazon|AWS/i);
    expect(detail.length).toBeGreaterThan(10);
  });

  test.each(['', '<html>', '{"message":null}', '[]', '"x"', 'null'])(
    'that cannot be read is answered: %s',
    (text) => {
      expect(mapBedrockError(500, Buffer.from(text), mask).code).toBe('upstream_error');
      expect(mapBedrockError(400, Buffer.from(text), mask).detail).toBe('The provider rejected the request.');
    },
  );
});
