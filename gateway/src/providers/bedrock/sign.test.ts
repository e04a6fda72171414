import { describe, expect, test } from 'vitest';
import { type AwsKey, authorization, encodeSegment, signRequest } from './sign.ts';

/** AWS's published test suite, aws-sig-v4-test-suite. */
const key: AwsKey = {
  id: 'AKIDEXAMPLE',
  secret: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  sessionToken: null,
};
const scope = { region: 'us-east-1', service: 'service', at: Date.parse('2015-08-30T12:36:00Z') };
const always = { host: 'example.amazonaws.com', 'x-amz-date': '20150830T123600Z' };
const token =
  'AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA==';

describe('the signature', () => {
  test.each([
    ['get-vanilla', 'GET', '/', {}, '', '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'],
    ['get-utf8', 'GET', '/ሴ', {}, '', '8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85'],
    ['post-vanilla', 'POST', '/', {}, '', '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b'],
    [
      'post-header-key-sort',
      'POST',
      '/',
      { 'my-header1': 'value1' },
      '',
      'c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c',
    ],
    [
      'post-x-www-form-urlencoded',
      'POST',
      '/',
      { 'content-type': 'application/x-www-form-urlencoded' },
      'Param1=value1',
      'ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a',
    ],
    [
      'post-sts-header-before',
      'POST',
      '/',
      { 'x-amz-security-token': token },
      '',
      '85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead',
    ],
  ])('of %s is the published one', (_, method, path, headers, body, signature) => {
    const all: Record<string, string> = { ...always, ...headers };
    const signed = authorization({ method, path, headers: all, body: Buffer.from(body) }, key, scope);
    expect(signed).toBe(
      'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, ' +
        `SignedHeaders=${Object.keys(all).sort().join(';')}, Signature=${signature}`,
    );
  });
});

test('a signed request tells its date, its digest and the token, and signs them', () => {
  const request = {
    method: 'POST',
    path: '/',
    headers: { host: 'example.amazonaws.com' },
    body: Buffer.from('{}'),
  };
  const headers = signRequest(request, { ...key, sessionToken: token }, scope);
  expect(headers).toMatchObject({
    'x-amz-date': '20150830T123600Z',
    'x-amz-content-sha256': '44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a',
    'x-amz-security-token': token,
  });
  expect(headers.authorization).toContain(
    'SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-security-token, ',
  );
  expect(signRequest(request, key, scope)).not.toHaveProperty('x-amz-security-token');
});

test('names of models stay one segment of the path', () => {
  expect(encodeSegment('anthropic.claude-3-5-sonnet-20241022-v2:0')).toBe(
    'anthropic.claude-3-5-sonnet-20241022-v2%3A0',
  );
  expect(encodeSegment("arn:aws:bedrock:us-east-1:1:profile/a!'()*")).toBe(
    'arn%3Aaws%3Abedrock%3Aus-east-1%3A1%3Aprofile%2Fa%21%27%28%29%2A',
  );
});
