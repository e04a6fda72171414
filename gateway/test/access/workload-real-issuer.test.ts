/** Programs that call with access tokens of an OpenID provider that others wrote: discovery, JWKS, rotation of its keys. */
import { decodeJwt, decodeProtectedHeader } from 'jose';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/kernel/time.ts';
import { changeConfig, testConfig } from '../support/config.ts';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import {
  type OidcTokenIssuer,
  startOidcTokenIssuer,
  TOKEN_LIFE_SECONDS,
} from '../support/oidc-token-issuer.ts';

const AUDIENCE = 'https://tollgate.example.com';
const MINUTE_MS = 60_000;
/** Of keys without a `Cache-Control`, which this provider does not send. */
const KEYS_LIFE_MS = 10 * MINUTE_MS;
const LEEWAY_MS = 30_000;
const chat = { model: 'sim-chat', messages: [{ role: 'user' as const, content: 'Hello' }] };

describe.each(engines)('the access token of an OpenID provider on %s', (engine) => {
  let gateway: TestGateway;
  let issuer: OidcTokenIssuer;
  /** How far the gateway's clocks are ahead: the one for lives of keys, and the one for ends of tokens. */
  let passedMs = 0;
  let aheadMs = 0;

  beforeAll(async () => {
    issuer = await startOidcTokenIssuer(['billing', 'stranger']);
    const issuers = [{ name: 'sso', issuer: issuer.url, audience: AUDIENCE }];
    const clock = {
      ...systemClock,
      now: () => systemClock.now() + aheadMs,
      elapsedMs: () => systemClock.elapsedMs() + passedMs,
    };
    const config = changeConfig(testConfig(), { workload_identity: { issuers } });
    gateway = await startGateway({ engine, config, clock });
    await gateway.admin('keys.create', { name: 'billing-key', kind: 'shared' });
    const rule = { key: 'billing-key', issuer: 'sso', subject: 'billing' };
    await gateway.admin('workloads.add', { ...rule, claims: ['scope=chat'] });
  });
  afterAll(async () => {
    await gateway.stop();
    await issuer.stop();
  });

  // The gateway closes connections that are idle for as long as the clock is moved here.
  const call = (token: string): Promise<Response> =>
    gateway.post('/v1/chat/completions', chat, { authorization: `Bearer ${token}`, connection: 'close' });
  const statusOf = async (token: string): Promise<number> => {
    const reply = await call(token);
    await reply.text();
    return reply.status;
  };

  test('calls as the key of its rule', async () => {
    const token = await issuer.token('billing', AUDIENCE);
    // What tokens of the forging issuer of other tests are not.
    expect(decodeProtectedHeader(token)).toMatchObject({ typ: 'at+jwt', alg: 'RS256', kid: 'oidc-1' });
    expect(decodeJwt(token)).toMatchObject({ aud: AUDIENCE, client_id: 'billing', scope: 'chat' });
    const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: token, maxRetries: 0 });
    expect((await client.chat.completions.create(chat)).choices[0]?.message.content).toBeTruthy();
    const reply = await fetch(`${gateway.url}/v1/key`, { headers: { authorization: `Bearer ${token}` } });
    expect(await reply.json()).toMatchObject({ name: 'billing-key' });
  });

  test('for another audience, of another client, changed or expired gets the same 401', async () => {
    const good = await issuer.token('billing', AUDIENCE);
    expect(await statusOf(good)).toBe(200);
    const [head = '', , signature = ''] = good.split('.');
    const [, strange = ''] = (await issuer.token('stranger', AUDIENCE)).split('.');
    const refused = async (token: string): Promise<string> => {
      const reply = await call(token);
      const ref = reply.headers.get('x-request-id') as string;
      return `${reply.status} ${(await reply.text()).replaceAll(ref, 'REF')}`;
    };
    const answers = [
      await refused(await issuer.token('billing', 'https://vault.example.com')),
      await refused(await issuer.token('stranger', AUDIENCE)),
      await refused(`${head}.${strange}.${signature}`),
    ];
    // Known to the gateway since the call above, and still only until it ends.
    aheadMs = TOKEN_LIFE_SECONDS * 1_000 - MINUTE_MS;
    expect(await statusOf(good)).toBe(200);
    aheadMs = TOKEN_LIFE_SECONDS * 1_000 + LEEWAY_MS + MINUTE_MS;
    answers.push(await refused(good));
    aheadMs = 0;
    expect(new Set(answers)).toEqual(new Set([expect.stringMatching(/^401 .*invalid_credentials/)]));
  });

  test('is accepted at once with a new key of the provider, and with an old one until that is withdrawn', async () => {
    passedMs += MINUTE_MS;
    const first = await issuer.token('billing', AUDIENCE);
    issuer.rotate({ alg: 'ES256', keep: true });
    const second = await issuer.token('billing', AUDIENCE);
    expect(decodeProtectedHeader(second)).toMatchObject({ alg: 'ES256', kid: 'oidc-2' });
    expect([await statusOf(second), await statusOf(first)]).toEqual([200, 200]);
    passedMs += MINUTE_MS;
    issuer.rotate();
    const third = await issuer.token('billing', AUDIENCE);
    expect(await statusOf(third)).toBe(200);
    // The provider no longer publishes the keys of these.
    expect([await statusOf(first), await statusOf(second)]).toEqual([401, 401]);
  });

  test('signed with a key that the provider withdrew is rejected when the life of the keys is over', async () => {
    passedMs += KEYS_LIFE_MS;
    const old = await issuer.token('billing', AUDIENCE);
    expect(await statusOf(old)).toBe(200);
    const asked = issuer.keysAsked();
    issuer.rotate();
    // In the first part of their life nobody asks again.
    passedMs += KEYS_LIFE_MS / 2;
    expect([await statusOf(old), issuer.keysAsked() - asked]).toEqual([200, 0]);
    passedMs += KEYS_LIFE_MS / 2;
    expect([await statusOf(old), issuer.keysAsked() - asked]).toEqual([401, 1]);
    expect(await statusOf(await issuer.token('billing', AUDIENCE))).toBe(200);
  });
});
