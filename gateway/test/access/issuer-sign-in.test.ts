/** Signing in through a real OpenID provider. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Shape } from '../../src/contract/check-shape.ts';
import type { ConsoleSession } from '../../src/contract/console.ts';
import { SignInWays } from '../../src/contract/sign-in.ts';
import { type AdminAnswer, AdminClient } from '../support/admin-client.ts';
import { changeConfig, testConfig } from '../support/config.ts';
import { ConsoleVisitor, type Visit } from '../support/console-visitor.ts';
import { oneEngine } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { type Account, Browser, startIssuer, type TestIssuer } from '../support/issuer.ts';
import { type ShiftedClock, shiftedClock } from '../support/shifted-clock.ts';

const PASSWORD = 'correct horse battery';

describe.each(oneEngine('postgres', 'issuers'))('signing in through an issuer on %s', (engine) => {
  let gateway: TestGateway;
  let corp: TestIssuer;
  let partner: TestIssuer;
  let clock: ShiftedClock;
  let browser: Browser;
  let people = 0;
  let browsers = 0;

  beforeAll(async () => {
    clock = shiftedClock();
    [corp, partner] = await Promise.all([startIssuer(), startIssuer({ idTokenClaims: false })]);
    const client = { client_id: corp.clientId, client_secret: '${OIDC_SECRET}' };
    const scopes = ['email', 'profile', 'groups'];
    const config = changeConfig(testConfig({ server: { trust_proxy: true } }), {
      sign_in: {
        issuers: [
          {
            ...{ name: 'corp', label: 'Corp & Co', issuer: corp.url, ...client, scopes },
            operators: ['ops'],
            spaces: [
              { group: 'devs', space: 'acme', role: 'member' },
              { group: 'leads', space: 'acme', role: 'admin' },
              { group: 'devs', space: 'globex', role: 'member' },
              { group: 'devs', space: 'not-yet', role: 'member' },
            ],
            domains: ['corp.example', 'Shared.example'],
          },
          {
            ...{ name: 'partner', issuer: partner.url, ...client, scopes },
            spaces: [{ group: 'devs', space: 'globex', role: 'admin' }],
            domains: ['partner.example', 'shared.example'],
          },
          { name: 'open', issuer: partner.url, ...client, scopes },
        ],
      },
    });
    gateway = await startGateway({ engine, config, clock, env: { OIDC_SECRET: corp.clientSecret } });
    corp.register(gateway.url, ['corp']);
    partner.register(gateway.url, ['partner', 'open']);
    await gateway.admin('spaces.create', { name: 'globex' });
  });
  afterAll(async () => {
    expect(gateway.logged.join('')).not.toContain(corp.clientSecret);
    await gateway.stop();
    await Promise.all([corp.stop(), partner.stop()]);
  });
  beforeEach(() => {
    browser = new Browser(`203.0.113.${++browsers}`);
  });

  const startUrl = (name = 'corp', query = ''): string =>
    `${gateway.url}/api/console/oidc/${name}/start${query}`;
  const isCallback = (url: string): boolean => /\/api\/console\/oidc\/\w+\/callback/.test(url);
  const isConsole = (url: string): boolean => url.startsWith(`${gateway.url}/console`);

  function newAccount(more: Partial<Account> = {}): Account {
    const name = `kim${++people}`;
    const email = `${name}@corp.example`;
    return { sub: `sub-${name}`, email, email_verified: true, name: 'Kim Lee', groups: ['devs'], ...more };
  }

  /** At both ends: an account that no browser is signed in with yet. */
  async function enter(
    account: Account,
    { issuer = corp, name = 'corp', query = '' } = {},
  ): Promise<{ url: string; reply: Response | null }> {
    issuer.account = account;
    browser.forget(issuer.url);
    return await browser.follow(startUrl(name, query), isConsole);
  }

  async function whoAmI(): Promise<Pick<Visit, 'status' | 'body'> & { names: string[] }> {
    const token = browser.cookie(gateway.url, 'tollgate_session') ?? '';
    const visitor = new ConsoleVisitor(gateway.url, browser.address);
    const { status, body } = await visitor.look({ cookie: `tollgate_session=${token}` });
    const names = ((body as Partial<ConsoleSession>).spaces ?? []).map(
      ({ name, role }) => `${name}: ${role}`,
    );
    return { status, body, names };
  }

  async function audited(subject: string): Promise<string[]> {
    const { data: lines } = await gateway.admin('audit.all', { limit: 1000 });
    return lines
      .filter((line) => line.subject === subject)
      .map(({ actor, action, space }) => `${actor} ${action} ${space ?? '-'}`)
      .reverse();
  }

  async function pageOf(reply: Response | null): Promise<{ status: number; text: string }> {
    expect(reply?.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(reply?.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(browser.cookie(gateway.url, 'tollgate_session')).toBeUndefined();
    return { status: reply?.status ?? 0, text: (await reply?.text()) ?? '' };
  }

  test('the ways to sign in are public', async () => {
    const body = await (await fetch(`${gateway.url}/api/console/sign-in`)).json();
    expect(new Shape(SignInWays).error(body)).toBeNull();
    expect(body).toEqual({
      password: true,
      issuers: [
        { name: 'corp', label: 'Corp & Co', start_url: startUrl('corp') },
        { name: 'partner', label: 'partner', start_url: startUrl('partner') },
        { name: 'open', label: 'open', start_url: startUrl('open') },
      ],
    });
  });

  test('opens a session with the memberships of the groups, continues at return_to, and is audited', async () => {
    const account = newAccount({ groups: ['devs', 'leads', 'unknown'] });
    const { url } = await enter(account, { query: '?return_to=%2Fconsole%2Fkeys%3Fspace%3Dacme%23new' });
    expect(url).toBe(`${gateway.url}/console/keys?space=acme#new`);
    const { body, names } = await whoAmI();
    expect(body.person).toEqual({ email: account.email, nickname: 'Kim Lee', operator: false });
    expect(names).toEqual(['acme: admin', 'globex: member']);
    const hours = (Date.parse(body.expires_at) - clock.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(11.9);
    expect(hours).toBeLessThanOrEqual(12);
    expect(browser.cookie(gateway.url, 'tollgate_sign_in')).toBeUndefined();
    expect(await audited(account.email as string)).toEqual([
      'oidc:corp members.add acme',
      'oidc:corp members.add globex',
    ]);
  });

  test('reads claims that are not in the ID token from the userinfo endpoint', async () => {
    await enter(newAccount({ email: 'pat@partner.example' }), { issuer: partner, name: 'partner' });
    expect((await whoAmI()).names).toEqual(['globex: admin']);
  });

  test('synchronises memberships at each sign-in, and leaves alone what others made', async () => {
    const account = newAccount({ groups: ['leads'] });
    const email = account.email as string;
    await gateway.admin('spaces.create', { name: `own-${people}-${engine}` });
    await gateway.admin('members.add', { space: `own-${people}-${engine}`, email, role: 'admin' });
    await enter(account);
    expect((await whoAmI()).names).toEqual(['acme: admin', `own-${people}-${engine}: admin`]);
    await enter({ ...account, groups: ['devs'] });
    expect((await whoAmI()).names).toEqual([
      'acme: member',
      'globex: member',
      `own-${people}-${engine}: admin`,
    ]);
    await enter({ ...account, groups: [] });
    expect((await whoAmI()).names).toEqual([`own-${people}-${engine}: admin`]);
    expect((await audited(email)).slice(1)).toEqual([
      'oidc:corp members.add acme',
      'oidc:corp members.role acme',
      'oidc:corp members.add globex',
      'oidc:corp members.remove acme',
      'oidc:corp members.remove globex',
    ]);
  });

  test('a membership made by hand keeps its role and stays when the group is gone', async () => {
    const account = newAccount({ groups: ['devs'] });
    await gateway.admin('members.add', { space: 'acme', email: account.email as string, role: 'admin' });
    await enter(account);
    expect((await whoAmI()).names).toEqual(['acme: admin', 'globex: member']);
    await enter({ ...account, groups: [] });
    expect((await whoAmI()).names).toEqual(['acme: admin']);
  });

  test('makes an operator of a group, and ends that with the group; those made in a shell stay', async () => {
    const account = newAccount({ groups: 'ops' });
    const email = account.email as string;
    await enter(account);
    expect((await whoAmI()).body.person.operator).toBe(true);
    const first = browser;
    browser = new Browser('203.0.113.250');
    const denied = await pageOf((await enter({ ...account, groups: [] })).reply);
    expect(denied.status).toBe(403);
    browser = first;
    expect((await whoAmI()).status).toBe(401);
    expect(await audited(email)).toEqual(['oidc:corp operators.add -', 'oidc:corp operators.remove -']);
    const made = newAccount({ groups: [] });
    await gateway.admin('operators.add', { email: made.email as string, password: PASSWORD });
    await enter({ ...made, groups: ['ops'] });
    await enter(made);
    expect((await whoAmI()).body.person.operator).toBe(true);
  });

  test('what an issuer gave does not open with a password, which someone who left it may still have', async () => {
    const account = newAccount({ groups: ['devs', 'ops'] });
    const email = account.email as string;
    await enter(account);
    const visitor = new ConsoleVisitor(gateway.url, browser.address);
    const headers = { authorization: `Bearer ${browser.cookie(gateway.url, 'tollgate_session')}` };
    const body = { new_password: PASSWORD };
    expect((await visitor.send('POST', '/api/console/password', { body, headers })).status).toBe(200);
    expect((await visitor.signIn(email, PASSWORD)).status).toBe(401);
    await gateway.admin('spaces.create', { name: `hand-${people}-${engine}` });
    await gateway.admin('members.add', { space: `hand-${people}-${engine}`, email, role: 'member' });
    const signedIn = await visitor.signIn(email, PASSWORD);
    expect([signedIn.body.person.operator, signedIn.body.spaces.length]).toEqual([false, 1]);
    // A link comes from an operator, who knows whom they give it to.
    const { code } = await gateway.admin('people.link', { email });
    expect((await visitor.useLink(code)).body.person.operator).toBe(true);
  });

  test('someone who leaves a group and comes back has the rules that an administrator set', async () => {
    const account = newAccount({ groups: ['devs'] });
    const email = account.email as string;
    await enter(account);
    const acme = { space: 'acme', email };
    await gateway.admin('members.limit', { ...acme, month_limit: '2' });
    await gateway.admin('members.models', { ...acme, models: ['sim-text-only'] });
    await enter({ ...account, groups: [] });
    await enter(account);
    const { data } = await gateway.admin('members.list', { space: 'acme', search: email });
    expect(data).toMatchObject([{ email, month_limit: '2', models: ['sim-text-only'] }]);
  });

  test('tokens and invitations end with the groups that gave their creator the right', async () => {
    const account = newAccount({ groups: ['leads', 'ops'] });
    const email = account.email as string;
    await enter(account);
    const own = new AdminClient(gateway, browser.cookie(gateway.url, 'tollgate_session') as string);
    const space = 'acme';
    const token = { name: `of ${email}`, access: 'write' };
    const made = await own.call('tokens.create', { space, ...token });
    const whole = await own.call('operatorTokens.create', token);
    const invited = await own.call('invitations.create', { space, email: `x-${email}`, role: 'admin' });
    const works = async ({ body }: AdminAnswer): Promise<number> =>
      (await new AdminClient(gateway, body.token).call('members.list', { space })).status;
    expect([await works(made), await works(whole), invited.status]).toEqual([200, 200, 200]);
    // Still an administrator of the space, but no operator.
    await enter({ ...account, groups: ['leads'] });
    expect([await works(made), await works(whole)]).toEqual([200, 401]);
    await enter({ ...account, groups: ['devs'] });
    expect(await works(made)).toBe(401);
    const look = await fetch(`${gateway.url}/api/console/invitations/look`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code: invited.body.code }),
    });
    expect(look.status).toBe(401);
    const { data } = await gateway.admin('audit.all', { actor: 'oidc:corp', limit: 6 });
    expect(data.map(({ action, subject }) => `${action} ${subject}`)).toEqual(
      expect.arrayContaining([
        `operatorTokens.revoke of ${email}`,
        `tokens.revoke of ${email}`,
        `invitations.revoke x-${email}`,
      ]),
    );
  });

  test('without access answers a page that says what to ask for, and JSON to a program', async () => {
    const account = newAccount({ groups: [] });
    const { status, text } = await pageOf((await enter(account)).reply);
    expect(status).toBe(403);
    expect(text).toContain(
      `You signed in at Corp &amp; Co as ${account.email}, but this address has no access here.`,
    );
    expect(text).toContain('Ask an administrator of your space to invite it');
    const reply = await fetch(`${gateway.url}/api/console/oidc/ghost/start`);
    expect([reply.status, await reply.json()]).toEqual([
      404,
      expect.objectContaining({ type: 'issuer_not_found' }),
    ]);
  });

  test.each<[string, Partial<Account>, string]>([
    ['an address that is not verified', { email_verified: false }, 'has not verified the e-mail address'],
    ['no address', { email: '' }, 'sent no usable e-mail address'],
    ['an address with a letter outside ASCII', { email: '\u212Aim@corp.example' }, 'sent no usable e-mail'],
    [
      'an address of another domain',
      { email: 'ops@example.com' },
      'may not sign in addresses of example.com',
    ],
    ['a subdomain', { email: 'a@x.corp.example' }, 'may not sign in addresses of x.corp.example'],
    ['a domain with an @ before it', { email: 'a@evil.example@corp.example' }, 'sent no usable e-mail'],
  ])('%s is rejected', async (_, claims, words) => {
    const { status, text } = await pageOf((await enter(newAccount(claims))).reply);
    expect([status, text.includes(words)]).toEqual([403, true]);
  });

  test("an issuer without domains cannot sign in addresses of another's domains", async () => {
    const operator = newAccount({ email: 'root@corp.example', groups: ['ops'] });
    await enter(operator);
    expect((await whoAmI()).body.person.operator).toBe(true);
    browser = new Browser('203.0.113.251');
    const { status, text } = await pageOf((await enter(operator, { issuer: partner, name: 'open' })).reply);
    expect(status).toBe(403);
    expect(text).toContain('open may not sign in addresses of corp.example');
  });

  test('the case of an e-mail address makes no second person', async () => {
    const account = newAccount();
    await gateway.admin('members.add', {
      space: 'globex',
      email: (account.email as string).toUpperCase(),
      role: 'admin',
    });
    await enter(account);
    expect((await whoAmI()).names).toEqual(['acme: member', 'globex: admin']);
    await enter({ ...account, email: `K${(account.email as string).slice(1)}` });
    expect((await whoAmI()).body.person.email).toBe(account.email);
  });

  test('two issuers with the same address sign in the same person, and each removes only what it gave', async () => {
    const email = 'both@shared.example';
    const [atCorp, atPartner] = [newAccount({ email, groups: ['leads'] }), newAccount({ email })];
    const elsewhere = { issuer: partner, name: 'partner' };
    await enter(atCorp);
    await enter(atPartner, elsewhere);
    expect((await whoAmI()).names).toEqual(['acme: admin', 'globex: admin']);
    await enter({ ...atCorp, groups: ['devs'] });
    // The membership of globex is the partner's, which alone changes it.
    expect((await whoAmI()).names).toEqual(['acme: member', 'globex: admin']);
    await enter({ ...atPartner, groups: [] }, elsewhere);
    expect((await whoAmI()).names).toEqual(['acme: member']);
    expect(await audited(email)).toEqual([
      'oidc:corp members.add acme',
      'oidc:partner members.add globex',
      'oidc:corp members.role acme',
      'oidc:partner members.remove globex',
    ]);
    const rows = await gateway.query({
      text: 'select count(*)::integer as people from people where email = $1',
      values: [email],
    });
    expect(rows).toEqual([{ people: 1 }]);
  });

  test('another account with the same address is rejected until an operator makes a link', async () => {
    const account = newAccount();
    await enter(account);
    const next = { ...account, sub: 'recycled' };
    browser = new Browser('203.0.113.252');
    const { status, text } = await pageOf((await enter(next)).reply);
    expect(status).toBe(403);
    expect(text).toContain('Another account of Corp &amp; Co has signed in as');
    await gateway.admin('people.link', { email: account.email as string });
    await enter(next);
    expect((await whoAmI()).status).toBe(200);
  });

  test('signing out answers the address that signs out at the issuer', async () => {
    await enter(newAccount());
    const token = browser.cookie(gateway.url, 'tollgate_session');
    const visitor = new ConsoleVisitor(gateway.url, browser.address);
    const { body } = await visitor.signOut({ authorization: `Bearer ${token}` });
    expect(body.signed_out).toBe(true);
    const url = new URL(body.sign_out_url);
    expect(url.origin).toBe(corp.url);
    expect(url.searchParams.get('post_logout_redirect_uri')).toBe(`${gateway.url}/console/sign-in`);
    const page = await browser.get(url.href);
    expect([page.status, await page.text()]).toEqual([200, 'Do you want to sign out?']);
    expect((await whoAmI()).status).toBe(401);
  });

  describe('an attacker', () => {
    /** As far as the callback, which is not opened. */
    async function halfway(account = newAccount()): Promise<string> {
      corp.account = account;
      browser.forget(corp.url);
      return (await browser.follow(startUrl(), isCallback)).url;
    }

    test('cannot use the callback of somebody else: it needs the cookie of the same browser', async () => {
      const callback = await halfway();
      const victim = browser;
      browser = new Browser('203.0.113.253');
      const { status, text } = await pageOf(await browser.get(callback));
      expect([status, text.includes('did not begin in this browser')]).toEqual([400, true]);
      expect((await victim.get(callback)).status).toBe(302);
    });

    test('cannot sign a visitor in with a callback of their own, though the visitor began one too', async () => {
      const own = await halfway();
      browser = new Browser('203.0.113.254');
      await halfway();
      const { status, text } = await pageOf(await browser.get(own));
      expect([status, text.includes('is not the one that began in this browser')]).toEqual([400, true]);
    });

    test('cannot put the code of one sign-in into another', async () => {
      const stolen = new URL(await halfway()).searchParams.get('code') as string;
      browser = new Browser('203.0.113.249');
      const callback = new URL(await halfway());
      callback.searchParams.set('code', stolen);
      const { status, text } = await pageOf(await browser.get(callback.href));
      expect([status, text.includes('the issuer does not accept it')]).toEqual([400, true]);
    });

    test('cannot use a callback twice, not even at the same time', async () => {
      const callback = await halfway();
      const cookie = `tollgate_sign_in=${browser.cookie(gateway.url, 'tollgate_sign_in')}`;
      const replies = await Promise.all([1, 2, 3].map(() => browser.get(callback, { cookie })));
      expect(replies.map(({ status }) => status).sort()).toEqual([302, 400, 400]);
      const late = await browser.get(callback, { cookie });
      expect([late.status, (await late.text()).includes('was already used')]).toEqual([400, true]);
    });

    test('cannot use a cookie again for another code', async () => {
      const first = new URL(await halfway());
      const cookie = `tollgate_sign_in=${browser.cookie(gateway.url, 'tollgate_sign_in')}`;
      expect((await browser.get(first.href, { cookie })).status).toBe(302);
      const second = new URL(await halfway());
      second.searchParams.set('state', first.searchParams.get('state') as string);
      expect((await browser.get(second.href, { cookie })).status).toBe(400);
    });

    test('has ten minutes, and only the issuer that the sign-in began with', async () => {
      const callback = await halfway();
      const elsewhere = await browser.get(callback.replace('/corp/', '/partner/'));
      expect([elsewhere.status, (await elsewhere.text()).includes('is not the one')]).toEqual([400, true]);
      clock.shift(10 * 60_000);
      const late = await browser.get(callback);
      expect([late.status, (await late.text()).includes('took too long')]).toEqual([400, true]);
    });

    test('who changes or makes up the cookie is rejected', async () => {
      const callback = await halfway();
      const value = browser.cookie(gateway.url, 'tollgate_sign_in') as string;
      const [secret, payload = ''] = value.split('.');
      const fields = JSON.parse(Buffer.from(payload, 'base64url').toString()) as unknown[];
      const withTarget = (to: unknown): string =>
        `${secret}.${Buffer.from(JSON.stringify([fields[0], fields[1], to])).toString('base64url')}`;
      for (const made of [
        withTarget('/console/x'),
        withTarget('//evil.example'),
        withTarget({ port: 80, challenge: 'a'.repeat(64) }),
        `${secret}.`,
        'x',
        '.',
        '',
      ]) {
        const reply = await browser.get(callback, { cookie: `tollgate_sign_in=${made}` });
        expect([made, reply.status]).toEqual([made, 400]);
      }
    });

    test.each([
      'https://evil.example/console',
      '//evil.example/console',
      '/\\evil.example/console',
      '/console/../..//evil.example',
      '/console\\..\\..\\\\evil.example',
      '/consolex',
      '/api/console/session',
      'javascript:alert(1)',
      '',
      `/console/${'x'.repeat(1_000)}`,
    ])('cannot make return_to lead to %j', async (to) => {
      const { status, text } = await pageOf(
        await browser.get(startUrl('corp', `?return_to=${encodeURIComponent(to)}`)),
      );
      expect([status, text.includes('return_to must be a path of the console')]).toEqual([400, true]);
    });

    test('who guesses codes is slowed down', async () => {
      const guess = async (): Promise<number> => {
        const callback = new URL(
          (await browser.follow(startUrl(), (url) => !url.startsWith(gateway.url))).url,
        );
        const state = callback.searchParams.get('state');
        const query = new URLSearchParams({ code: 'guess', state: state ?? '', iss: corp.url });
        return (await browser.get(`${gateway.url}/api/console/oidc/corp/callback?${query}`)).status;
      };
      const statuses: number[] = [];
      for (let i = 0; i < 21; i++) statuses.push(await guess());
      expect(statuses).toEqual([...Array(20).fill(400), 429]);
    });
  });

  test('no token, code or state is written to the log or the database', async () => {
    const account = newAccount();
    corp.account = account;
    const { url } = await browser.follow(startUrl(), isCallback);
    const secrets = ['code', 'state'].map((name) => new URL(url).searchParams.get(name) as string);
    secrets.push(browser.cookie(gateway.url, 'tollgate_sign_in') as string);
    await browser.get(url);
    await browser.get(url);
    const tables = await gateway.query<{ name: string }>({
      text: "select tablename as name from pg_tables where schemaname = 'public'",
      values: [],
    });
    const rows = await Promise.all(
      tables.map(({ name }) => gateway.query({ text: `select t::text as row from ${name} t`, values: [] })),
    );
    const written = gateway.logged.join('') + JSON.stringify(rows);
    expect(written).toContain(account.email);
    for (const secret of secrets) expect(written).not.toContain(secret);
  });
});
