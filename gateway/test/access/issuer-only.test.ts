/** An installation where only an issuer signs people in, and the way back in when it is down. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/database/sql.ts';
import { hasBrowser } from '../support/browser-pages.ts';
import { changeConfig, testConfig } from '../support/config.ts';
import { ConsoleBrowser } from '../support/console-browser.ts';
import { ConsoleVisitor } from '../support/console-visitor.ts';
import { oneEngine } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { Browser, startIssuer, type TestIssuer } from '../support/issuer.ts';

const PASSWORD = 'correct horse battery';
const EMAIL = 'ops@example.com';

describe.each(oneEngine('postgres', 'issuers'))('with passwords switched off, on %s', (engine) => {
  let gateway: TestGateway;
  let issuer: TestIssuer;
  let visitor: ConsoleVisitor;

  beforeAll(async () => {
    issuer = await startIssuer();
    const client = { client_id: issuer.clientId, client_secret: issuer.clientSecret };
    const corp = { name: 'corp', label: 'Corp', issuer: issuer.url, ...client };
    const config = changeConfig(testConfig(), { sign_in: { password: false, issuers: [corp] } });
    gateway = await startGateway({ engine, config });
    issuer.register(gateway.url, ['corp']);
    await gateway.admin('operators.add', { email: EMAIL, password: PASSWORD });
    visitor = new ConsoleVisitor(gateway.url, '');
  });
  afterAll(async () => {
    await gateway.stop();
    await issuer.stop();
  });

  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

  async function enterByLink(): Promise<string> {
    const { code } = await gateway.admin('people.link', { email: EMAIL });
    const { body } = await visitor.send('POST', '/api/console/session/link', {
      body: { code, keep: 'token' },
    });
    return body.token;
  }

  test('a password is answered with 403 and the way to use, whether it is right or wrong', async () => {
    for (const password of [PASSWORD, 'wrong password']) {
      const { status, body } = await visitor.signIn(EMAIL, password);
      expect([status, body.type, body.detail]).toEqual([
        403,
        'sign_in_not_allowed',
        'Passwords are switched off on this server. Sign in with Corp.',
      ]);
    }
    const ways = await visitor.send('GET', '/api/console/sign-in');
    expect(ways.body).toMatchObject({ password: false, issuers: [{ name: 'corp' }] });
  });

  test.skipIf(!hasBrowser)(
    'the sign-in page offers the issuer and no password',
    async () => {
      const { page } = await new ConsoleBrowser(gateway).open('/sign-in');
      await page.getByRole('link', { name: 'Sign in with Corp' }).waitFor();
      expect(await page.getByLabel('Password').count()).toBe(0);
    },
    120_000,
  );

  test('the issuer signs in, and nobody sets a password', async () => {
    issuer.account = { sub: 'ops', email: EMAIL, email_verified: true };
    const browser = new Browser('');
    await browser.follow(`${gateway.url}/api/console/oidc/corp/start`, (url) => url.endsWith('/console'));
    const headers = bearer(browser.cookie(gateway.url, 'tollgate_session') as string);
    expect((await visitor.look(headers)).body.person.email).toBe(EMAIL);
    const body = { current_password: PASSWORD, new_password: 'another password' };
    expect((await visitor.send('POST', '/api/console/password', { body, headers })).status).toBe(403);
  });

  test('a link that an operator made in a shell is the way back in; one made elsewhere is not used up', async () => {
    expect((await visitor.look(bearer(await enterByLink()))).status).toBe(200);
    const { code } = await gateway.admin('people.link', { email: EMAIL });
    await gateway.query(sql`update sign_in_links set made_by = 'console' where used_at is null`);
    const { status, body } = await visitor.useLink(code);
    expect([status, body.detail]).toEqual([
      403,
      'Sign-in links are switched off on this server. Sign in with Corp.',
    ]);
    await gateway.query(sql`update sign_in_links set made_by = 'shell' where used_at is null`);
    expect((await visitor.useLink(code)).status).toBe(200);
  });

  test.each(['password', 'issuer:gone'])('sessions that began by %s have ended', async (way) => {
    const token = await enterByLink();
    expect((await visitor.look(bearer(token))).status).toBe(200);
    await gateway.query(sql`update sessions set opened_by = ${way}`);
    expect((await visitor.look(bearer(token))).status).toBe(401);
  });
});
