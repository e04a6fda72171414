import { describe, expect, test } from 'vitest';
import { isSigned } from '../../../simulator/bedrock/verify-signature.ts';
import { systemClock } from '../../kernel/time.ts';
import { type AwsCredentials, encodeSegment, type SignableRequest, signRequest } from './sign-request.ts';

const credentials: AwsCredentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalr/K7MDENG+bPxRfi' };
const sessionToken = 'AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKW==';
const model = 'anthropic.claude-3-5-sonnet-20241022-v2:0';
const request: SignableRequest = {
  method: 'POST',
  path: `/model/${encodeSegment(model)}/converse`,
  headers: { host: 'bedrock-runtime.eu-west-3.amazonaws.com' },
  body: Buffer.from('{"messages":[]}'),
};

/** Checked by a second implementation: the one with which the simulator verifies what it receives. */
async function verified(changes: Partial<SignableRequest>, using = credentials, sent = '{"messages":[]}') {
  const signable = { ...request, ...changes };
  const scope = { region: 'eu-west-3', service: 'bedrock', at: systemClock.now() };
  const headers = { ...signable.headers, ...(await signRequest(signable, using, scope)) };
  const { method, path } = signable;
  return isSigned({ method, path, query: '', headers, text: sent }, { secret: 'wJalr/K7MDENG+bPxRfi' });
}

describe('a signed request', () => {
  test.each([
    [model],
    ['arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude'],
    ["odd !'()* name~-._"],
    ['모델'],
  ])('is accepted for the model %s', async (name) => {
    expect(await verified({ path: `/base/model/${encodeSegment(name)}/converse` })).toBe(true);
  });

  test('covers a body that comes in pieces', async () => {
    const body = [Buffer.from('{"messages"'), Buffer.from(':[]}')];
    expect(await verified({ body })).toBe(true);
    expect(await verified({ body }, credentials, '{"messages":[1]}')).toBe(false);
  });

  test('covers the session token of temporary credentials, and is rejected with another secret', async () => {
    expect(await verified({}, { ...credentials, sessionToken })).toBe(true);
    expect(await verified({}, { ...credentials, secretAccessKey: 'another' })).toBe(false);
  });

  test('adds the date, the digest of the body, the token and the signature, and repeats no header', async () => {
    const scope = { region: 'us-east-1', service: 'bedrock', at: Date.parse('2015-08-30T12:36:00Z') };
    const headers = await signRequest(request, { ...credentials, sessionToken }, scope);
    expect(headers).toEqual({
      'x-amz-date': '20150830T123600Z',
      'x-amz-content-sha256': expect.stringMatching(/^[0-9a-f]{64}$/),
      'x-amz-security-token': sessionToken,
      authorization: expect.stringContaining(
        'Credential=AKIDEXAMPLE/20150830/us-east-1/bedrock/aws4_request, ' +
          'SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-security-token, ',
      ),
    });
    expect(await signRequest(request, credentials, scope)).not.toHaveProperty('x-amz-security-token');
  });
});

test('names of models stay one segment of the path', () => {
  expect(encodeSegment(model)).toBe('anthropic.claude-3-5-sonnet-20241022-v2%3A0');
  expect(encodeSegment("arn:aws:bedrock:us-east-1:1:profile/a!'()*")).toBe(
    'arn%3Aaws%3Abedrock%3Aus-east-1%3A1%3Aprofile%2Fa%21%27%28%29%2A',
  );
});
