/** Where credentials for Bedrock come from. STS, a container and an instance are played by one local server. */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { isSigned } from '../../../simulator/bedrock/verify-signature.ts';
import { Secret } from '../../kernel/secret.ts';
import { systemClock } from '../../kernel/time.ts';
import type { UpstreamCall, UpstreamFailure } from '../../net/upstream-call.ts';
import type { Provider } from '../provider.ts';
import { ProviderMask } from '../provider-mask.ts';
import { bedrockProvider } from './bedrock-provider.ts';

interface Arrived {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

let server: Server;
let origin = '';
let folder = '';
let arrived: Arrived[] = [];

/** The id tells which source issued the credentials; the secret follows from it. */
const issued = (id: string) => ({ id, secret: `secret-of-${id}`, token: `token-of-${id}` });
const secretOf = (id: string): string => issued(id).secret;
const EXPIRES = new Date(systemClock.now() + 3_600_000).toISOString();

const json = (id: string): string => {
  const { secret, token } = issued(id);
  return JSON.stringify({
    Code: 'Success',
    Type: 'AWS-HMAC',
    Expiration: EXPIRES,
    AccessKeyId: id,
    SecretAccessKey: secret,
    Token: token,
  });
};

const xml = (action: string, id: string): string => {
  const { secret, token } = issued(id);
  return `<${action}Response xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><${action}Result><Credentials>
    <AccessKeyId>${id}</AccessKeyId><SecretAccessKey>${secret}</SecretAccessKey>
    <SessionToken>${token}</SessionToken><Expiration>${EXPIRES}</Expiration></Credentials>
    <AssumedRoleUser><Arn>arn:aws:sts::123456789012:assumed-role/caller/tollgate</Arn>
    <AssumedRoleId>AROA1:tollgate</AssumedRoleId></AssumedRoleUser></${action}Result></${action}Response>`;
};

function answer(request: IncomingMessage, text: string): string {
  const action = new URLSearchParams(text).get('Action');
  if (action === 'AssumeRoleWithWebIdentity') return xml(action, 'ASIAWEBIDENTITY');
  if (action === 'AssumeRole') return xml(action, 'ASIAROLE');
  if (request.url === '/container') return json('ASIACONTAINER');
  if (request.url === '/latest/api/token') return 'metadata-token';
  if (request.url?.endsWith('/iam/security-credentials/')) return 'instance-role';
  if (request.url?.endsWith('/iam/security-credentials/instance-role')) return json('ASIAINSTANCE');
  return '{}';
}

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'tollgate-aws-'));
  server = createServer((request, reply) => {
    let text = '';
    request.setEncoding('utf8');
    request.on('data', (piece: string) => {
      text += piece;
    });
    request.on('end', () => {
      const headers = request.headers as Record<string, string>;
      arrived.push({ url: request.url ?? '', headers, text });
      reply.end(answer(request, text));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

/** Nothing of the machine's own AWS configuration may take part. */
beforeEach(() => {
  arrived = [];
  for (const name of Object.keys(process.env)) if (name.startsWith('AWS_')) vi.stubEnv(name, undefined);
  vi.stubEnv('HOME', folder);
  vi.stubEnv('AWS_CONFIG_FILE', path.join(folder, 'none'));
  vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', path.join(folder, 'none'));
  vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
  vi.stubEnv('AWS_ENDPOINT_URL_STS', origin);
});
afterEach(() => vi.unstubAllEnvs());

function file(name: string, text: string): string {
  const at = path.join(folder, name);
  writeFileSync(at, text);
  return at;
}

function providerWith(apiKey: string, awsProfile?: string): Provider {
  const settings = { name: 'b', dialect: 'bedrock', vendor: null, region: 'eu-west-3' } as const;
  return bedrockProvider(
    {
      ...settings,
      baseUrl: origin,
      simulated: false,
      apiKey: new Secret(apiKey),
      ...(awsProfile !== undefined && { awsProfile }),
    },
    {
      clock: systemClock,
      mask: new ProviderMask(),
      connectTimeoutMs: 5_000,
      silenceTimeoutMs: 5_000,
      callTotalMs: 60_000,
      transferTotalMs: 60_000,
    },
  );
}

/** Sends one call; null when it was answered. */
async function ended(
  provider: Provider,
  then?: (call: UpstreamCall) => void,
): Promise<UpstreamFailure | null> {
  const request = { upstreamModel: 'm:0', stream: false, body: Buffer.from('{"a":1}'), beta: null };
  return await new Promise((resolve) => {
    const call = provider.texts[0]?.send(request, {
      head: () => ({ data: () => undefined, end: () => resolve(null), fail: resolve }),
      fail: resolve,
    });
    if (call !== undefined) then?.(call);
  });
}

/** Sends one call. Returns the request that reached Bedrock, or why none did. */
async function send(apiKey = '', awsProfile?: string): Promise<Arrived | UpstreamFailure> {
  const provider = providerWith(apiKey, awsProfile);
  const failure = await ended(provider);
  await provider.close();
  return failure ?? (arrived.find(({ url }) => url.startsWith('/model/')) as Arrived);
}

async function signer(
  apiKey?: string,
  awsProfile?: string,
): Promise<{ id: string; token: string | undefined }> {
  const request = await send(apiKey, awsProfile);
  if (!('url' in request)) throw request;
  const { url, headers, text } = request;
  const id = /Credential=(\w+)\/\d{8}\/eu-west-3\/bedrock\//.exec(headers.authorization ?? '')?.[1] ?? '';
  const received = { method: 'POST', path: url, query: '', headers, text };
  expect(isSigned(received, { secret: secretOf(id) })).toBe(true);
  return { id, token: headers['x-amz-security-token'] };
}

describe('a call to Bedrock without an api_key is signed with the credentials of', () => {
  test('the environment', async () => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDENVIRONMENT');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', secretOf('AKIDENVIRONMENT'));
    expect(await signer()).toEqual({ id: 'AKIDENVIRONMENT', token: undefined });
  });

  test('the profile that aws_profile names', async () => {
    const keys = (id: string) => `aws_access_key_id = ${id}\naws_secret_access_key = ${secretOf(id)}\n`;
    const text = `[default]\n${keys('AKIDDEFAULT')}\n[models]\n${keys('AKIDMODELS')}`;
    vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', file('credentials', text));
    expect(await signer('', 'models')).toEqual({ id: 'AKIDMODELS', token: undefined });
    arrived = [];
    expect(await signer()).toEqual({ id: 'AKIDDEFAULT', token: undefined });
  });

  test('the role that a profile assumes', async () => {
    const keys = `aws_access_key_id = AKIDBASE\naws_secret_access_key = ${secretOf('AKIDBASE')}\n`;
    vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', file('base', `[base]\n${keys}`));
    const role = 'role_arn = arn:aws:iam::123456789012:role/caller\nsource_profile = base\n';
    vi.stubEnv('AWS_CONFIG_FILE', file('config', `[profile caller]\n${role}`));
    expect(await signer('', 'caller')).toEqual({ id: 'ASIAROLE', token: issued('ASIAROLE').token });
  });

  test('a web identity, whose token is sent to STS', async () => {
    vi.stubEnv('AWS_WEB_IDENTITY_TOKEN_FILE', file('token', 'a.service.account'));
    vi.stubEnv('AWS_ROLE_ARN', 'arn:aws:iam::123456789012:role/pod');
    const { token } = issued('ASIAWEBIDENTITY');
    expect(await signer()).toEqual({ id: 'ASIAWEBIDENTITY', token });
    const asked = new URLSearchParams(arrived[0]?.text);
    expect(asked.get('WebIdentityToken')).toBe('a.service.account');
    expect(asked.get('RoleArn')).toBe('arn:aws:iam::123456789012:role/pod');
  });

  test('the container', async () => {
    vi.stubEnv('AWS_CONTAINER_CREDENTIALS_FULL_URI', `${origin}/container`);
    expect(await signer()).toEqual({ id: 'ASIACONTAINER', token: issued('ASIACONTAINER').token });
  });

  test('the instance', async () => {
    vi.stubEnv('AWS_EC2_METADATA_DISABLED', undefined);
    vi.stubEnv('AWS_EC2_METADATA_SERVICE_ENDPOINT', origin);
    expect(await signer()).toEqual({ id: 'ASIAINSTANCE', token: issued('ASIAINSTANCE').token });
  });
});

describe('an api_key comes before all other sources', () => {
  beforeEach(() => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDENVIRONMENT');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', secretOf('AKIDENVIRONMENT'));
  });

  test('as static credentials, with and without a session token', async () => {
    expect(await signer('AKIDOURS:secret-of-AKIDOURS')).toEqual({ id: 'AKIDOURS', token: undefined });
    arrived = [];
    const withToken = 'AKIDOURS:secret-of-AKIDOURS:a:token==';
    expect(await signer(withToken)).toEqual({ id: 'AKIDOURS', token: 'a:token==' });
  });

  test('as a Bedrock API key, which signs nothing', async () => {
    const request = (await send('bedrock-api-key')) as Arrived;
    expect(request.headers.authorization).toBe('Bearer bedrock-api-key');
    expect(request.headers).not.toHaveProperty('x-amz-date');
  });
});

test('without any credentials nothing is sent, and the call fails like an unreachable provider', async () => {
  const failure = (await send()) as UpstreamFailure;
  expect([failure.name, failure.kind]).toEqual(['UpstreamFailure', 'connect']);
  expect(failure.message).toContain('credentials');
  expect(arrived).toEqual([]);
});

test('a call that is aborted while it waits for credentials is never sent', async () => {
  vi.stubEnv('AWS_CONTAINER_CREDENTIALS_FULL_URI', `${origin}/container`);
  const provider = providerWith('');
  const aborted = await ended(provider, (call) => call.abort());
  // Both calls wait for the same credentials, so the first would have been sent before the second.
  const sent = await ended(provider);
  await provider.close();
  expect([aborted?.kind, sent]).toEqual(['aborted', null]);
  expect(arrived.map(({ url }) => url)).toEqual(['/container', '/model/m%3A0/converse']);
});
