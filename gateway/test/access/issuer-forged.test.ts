/** Issuers that lie, break or do not answer. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/kernel/time.ts';
import { changeConfig, testConfig } from '../support/config.ts';
import {
  type Forgery,
  type ForgingIssuer,
  type Json,
  startForgingIssuer,
} from '../support/forging-issuer.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { Browser } from '../support/issuer.ts';

const HOUR_MS = 3_600_000;

describe('an issuer that cannot be trusted or reached', () => {
  let gateway: TestGateway;
  let issuer: ForgingIssuer;
  let browser: Browser;
  let passedMs = 0;

  beforeAll(async () => {
    issuer = await startForgingIssuer();
    const config = changeConfig(testConfig({ server: { trust_proxy: true } }), {
      sign_in: {
        issuers: [
          {
            name: 'corp',
            label: 'Corp',
            issuer: issuer.url,
            client_id: 'client',
            client_secret: 'secret-92841',
          },
        ],
      },
    });
    const clock = { ...systemClock, elapsedMs: () => systemClock.elapsedMs() + passedMs };
    gateway = await startGateway({ config, clock });
    await gateway.admin('operators.add', { email: 'ops@example.com', password: 'correct horse battery' });
  });
  afterAll(async () => {
    await gateway.stop();
    await issuer.stop();
  });
  beforeEach(() => {
    browser = new Browser(`198.51.100.${Math.floor(Math.random() * 250)}`);
    issuer.forgery = {};
    issuer.asked.length = 0;
    // What was discovered before is asked for again.
    passedMs += HOUR_MS;
  });

  const start = (): Promise<Response> => browser.get(`${gateway.url}/api/console/oidc/corp/start`);
  const finish = (query: Json): Promise<Response> =>
    browser.get(`${gateway.url}/api/console/oidc/corp/callback?${new URLSearchParams(query as never)}`);

  async function signIn(more: Json = {}): Promise<{ status: number; text: string }> {
    const begun = await start();
    const to = new URL(begun.headers.get('location') ?? 'http://nowhere.invalid');
    issuer.nonce = to.searchParams.get('nonce') ?? '';
    const reply = await finish({ code: 'code', state: to.searchParams.get('state'), ...more });
    return { status: reply.status, text: await reply.text() };
  }

  test('is no trouble while it is honest, and gets state, nonce and a PKCE challenge', async () => {
    const to = new URL((await start()).headers.get('location') ?? '');
    expect(Object.fromEntries(to.searchParams)).toMatchObject({
      client_id: 'client',
      response_type: 'code',
      scope: 'openid email profile',
      redirect_uri: `${gateway.url}/api/console/oidc/corp/callback`,
      code_challenge_method: 'S256',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      state: expect.stringMatching(/^[0-9a-f]{64}$/),
      nonce: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect((await signIn()).status).toBe(302);
  });

  test('cannot have a sign-in used twice, although it accepts any code again', async () => {
    const to = new URL((await start()).headers.get('location') ?? '');
    issuer.nonce = to.searchParams.get('nonce') ?? '';
    const cookie = `tollgate_sign_in=${browser.cookie(gateway.url, 'tollgate_sign_in')}`;
    const query = new URLSearchParams({ code: 'code', state: to.searchParams.get('state') ?? '' });
    const use = (): Promise<Response> =>
      browser.get(`${gateway.url}/api/console/oidc/corp/callback?${query}`, { cookie });
    const replies = await Promise.all([use(), use(), use()]);
    expect(replies.map(({ status }) => status).sort()).toEqual([302, 400, 400]);
    expect((await use()).status).toBe(400);
    expect(issuer.asked.filter((path) => path === '/token')).toHaveLength(1);
  });

  test('over https, only a sign-in whose cookie no other host could set comes back', async () => {
    const https = { 'x-forwarded-proto': 'https' };
    const begun = await browser.get(`${gateway.url}/api/console/oidc/corp/start`, https);
    const [line = ''] = begun.headers.getSetCookie();
    expect(line).toMatch(
      /^__Host-tollgate_sign_in=[^;]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/,
    );
    const to = new URL(begun.headers.get('location') ?? '');
    issuer.nonce = to.searchParams.get('nonce') ?? '';
    const query = new URLSearchParams({ code: 'code', state: to.searchParams.get('state') ?? '' });
    const use = (cookie: string): Promise<Response> =>
      browser.get(`${gateway.url}/api/console/oidc/corp/callback?${query}`, { ...https, cookie });
    const [cookie = ''] = line.split(';');
    expect((await use(cookie.replace('__Host-', ''))).status).toBe(400);
    const entered = await use(cookie);
    expect(entered.status).toBe(302);
    expect(entered.headers.getSetCookie().map((one) => one.split('=', 1)[0])).toEqual([
      '__Host-tollgate_session',
      '__Host-tollgate_device',
      '__Host-tollgate_sign_in',
    ]);
  });

  const without = (name: string) => (claims: Json) => {
    const { [name]: _, ...rest } = claims;
    return rest;
  };
  test.each<[string, Forgery]>([
    ['with another nonce', { claims: (claims) => ({ ...claims, nonce: 'other' }) }],
    ['without a nonce', { claims: without('nonce') }],
    ['for another client', { claims: (claims) => ({ ...claims, aud: 'other' }) }],
    [
      'for several clients, on behalf of another',
      { claims: (claims) => ({ ...claims, aud: ['client', 'b'], azp: 'b' }) },
    ],
    ['of another issuer', { claims: (claims) => ({ ...claims, iss: 'https://other.example' }) }],
    ['that has expired', { claims: (claims) => ({ ...claims, iat: 1, exp: 2 }) }],
    ['without a subject', { claims: without('sub') }],
    ['signed with a key that is not its own', { otherKey: true }],
    ['signed with a key that it does not publish', { header: { kid: 'unknown' } }],
    ['without a signature', { unsigned: true }],
    ['with the algorithm none', { header: { alg: 'none' }, unsigned: true }],
    ['signed with the client secret', { header: { alg: 'HS256' } }],
  ])('an ID token %s signs nobody in', async (_, forgery) => {
    issuer.forgery = forgery;
    const { status, text } = await signIn();
    expect([status, text.includes('could not be verified')]).toEqual([400, true]);
    expect(browser.cookie(gateway.url, 'tollgate_session')).toBeUndefined();
  });

  test('an answer without an ID token, or with userinfo of another account, signs nobody in', async () => {
    issuer.forgery = { tokens: { id_token: undefined } };
    expect((await signIn()).status).toBe(400);
    issuer.forgery = { claims: without('email') };
    expect((await signIn()).status).toBe(400);
  });

  test.each([
    ['its error code, and nothing else of what it says', 'access_denied', '(access_denied)'],
    ['no error code that is none', '<img src=x onerror=alert(1)>', '(an unknown error)'],
  ])('a rejection shows %s', async (_, error, shown) => {
    const { status, text } = await signIn({ code: '', error, error_description: 'CANARY <script>' });
    expect([status, text.includes(shown)]).toEqual([400, true]);
    expect(text).not.toMatch(/CANARY|<script|<img/);
  });

  const respond =
    (path: string, work: (response: Parameters<NonNullable<Forgery['answer']>>[1]) => void) =>
    (asked: string, response: Parameters<NonNullable<Forgery['answer']>>[1]): boolean => {
      if (asked === path) work(response);
      return asked === path;
    };
  const DISCOVERY = '/.well-known/openid-configuration';
  const json = { 'content-type': 'application/json' };
  test.each<[string, Forgery]>([
    ['closes the connection', { answer: respond(DISCOVERY, (response) => response.destroy()) }],
    ['answers 500', { answer: respond(DISCOVERY, (response) => response.writeHead(500).end('CANARY')) }],
    ['answers HTML', { answer: respond(DISCOVERY, (response) => response.end('<html>CANARY</html>')) }],
    [
      'redirects',
      { answer: respond(DISCOVERY, (response) => response.writeHead(302, { location: '/jwks' }).end()) },
    ],
    [
      'answers more than a megabyte',
      {
        answer: respond(DISCOVERY, (response) =>
          response.writeHead(200, json).end(`"${'x'.repeat(2_000_000)}"`),
        ),
      },
    ],
    ['calls itself by another name', { metadata: { issuer: 'https://other.example' } }],
    ['has no authorization endpoint', { metadata: { authorization_endpoint: undefined } }],
    [
      'has an authorization endpoint that is a script',
      { metadata: { authorization_endpoint: 'javascript:alert(1)' } },
    ],
  ])('discovery that %s is a 503 with a page, and the log says why', async (_, forgery) => {
    issuer.forgery = forgery;
    const reply = await start();
    expect(reply.status).toBe(503);
    const text = await reply.text();
    expect(text).toContain('Corp gives no usable answer at the moment. Try again in a minute');
    expect(text).not.toContain('CANARY');
    expect(gateway.logged.at(-1)).toMatch(/"code":"issuer_unavailable".*issuer corp: /);
    // Nothing of the failure is kept.
    issuer.forgery = {};
    expect((await start()).status).toBe(302);
  });

  test.each<[string, Forgery]>([
    [
      'rejects our client',
      {
        answer: respond('/token', (response) =>
          response.writeHead(401, json).end('{"error":"invalid_client","error_description":"CANARY"}'),
        ),
      },
    ],
    ['answers 500', { answer: respond('/token', (response) => response.writeHead(500).end('CANARY')) }],
    ['closes the connection', { answer: respond('/token', (response) => response.destroy()) }],
    ['is on another machine without https', { metadata: { token_endpoint: 'http://issuer.example/token' } }],
    [
      'answers more than a megabyte',
      {
        answer: respond('/token', (response) =>
          response.writeHead(200, json).end(`"${'x'.repeat(2_000_000)}"`),
        ),
      },
    ],
  ])('a token endpoint that %s is a 503 with a page', async (_, forgery) => {
    issuer.forgery = forgery;
    const { status, text } = await signIn();
    expect([status, text.includes('Corp gives no usable answer')]).toEqual([503, true]);
    expect(text + gateway.logged.join('')).not.toContain('CANARY');
  });

  test('one that does not answer is given up after some seconds, and sign-ins meanwhile share one request', async () => {
    const asked = Promise.withResolvers<void>();
    issuer.forgery = { answer: respond(DISCOVERY, () => asked.resolve()) };
    const replies = Promise.all([start(), start(), start()]);
    await asked.promise;
    passedMs += 10_000;
    expect((await replies).map(({ status }) => status)).toEqual([503, 503, 503]);
    expect(issuer.asked).toEqual([DISCOVERY]);
  });

  test('one that is down does not keep anybody from signing out', async () => {
    expect((await signIn()).status).toBe(302);
    const token = browser.cookie(gateway.url, 'tollgate_session');
    issuer.forgery = { answer: (_, response) => !!response.destroy() };
    passedMs += HOUR_MS;
    const headers = { authorization: `Bearer ${token}` };
    const reply = await fetch(`${gateway.url}/api/console/session`, { method: 'DELETE', headers });
    expect([reply.status, await reply.json()]).toEqual([200, { signed_out: true }]);
  });
});
