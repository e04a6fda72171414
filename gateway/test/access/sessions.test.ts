/** Signing in to the console, and what a session is worth from then on. */

import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { newKeySecret, newSecret } from '../../src/access/key-secret.ts';
import { Shape } from '../../src/contract/check-shape.ts';
import { ConsoleSession } from '../../src/contract/console.ts';
import { ErrorBody } from '../../src/contract/error-body.ts';
import { sql } from '../../src/database/sql.ts';
import { testConfig } from '../support/config.ts';
import { ConsoleVisitor } from '../support/console-visitor.ts';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { PATIENCE } from '../support/patience.ts';

const PASSWORD = 'correct horse battery';
const PROXIED = testConfig({ server: { trust_proxy: true } });

describe.each(engines)('the console on %s', (engine) => {
  let gateway: TestGateway;
  let visitor: ConsoleVisitor;
  let visitors = 0;

  /** From an address of their own, whose failures hold up nobody else. */
  const newVisitor = (): ConsoleVisitor => new ConsoleVisitor(gateway.url, `203.0.113.${++visitors}`);

  beforeAll(async () => {
    gateway = await startGateway({ engine, config: PROXIED });
    await gateway.admin('spaces.create', { name: 'globex' });
    await gateway.admin('spaces.create', { name: 'initech' });
    await gateway.admin('members.add', { space: 'acme', email: 'Kim@example.com', role: 'admin' });
    await gateway.admin('members.add', { space: 'globex', email: 'kim@Example.com', role: 'member' });
    await gateway.admin('people.password', { email: 'kim@example.com', password: PASSWORD });
    await gateway.admin('operators.add', { email: 'ops@example.com', password: PASSWORD });
  });
  afterAll(() => gateway.stop());
  beforeEach(() => {
    visitor = newVisitor();
  });

  /** A member of acme of their own, with a password. */
  async function newMember(email: string): Promise<void> {
    await gateway.admin('members.add', { space: 'acme', email, role: 'member' });
    await gateway.admin('people.password', { email, password: PASSWORD });
  }

  const names = (body: ConsoleSession): string[] => body.spaces.map(({ name, role }) => `${name}: ${role}`);

  describe('signing in', () => {
    test('answers the person and their spaces, and keeps the session only in a cookie', async () => {
      const { status, body, headers } = await visitor.signIn('KIM@example.com', PASSWORD);
      expect(status).toBe(200);
      expect(new Shape(ConsoleSession).error(body)).toBeNull();
      expect(body.person).toEqual({ email: 'kim@example.com', nickname: 'Kim', operator: false });
      expect(names(body)).toEqual(['acme: admin', 'globex: member']);
      expect(body).not.toHaveProperty('token');
      const days = (Date.parse(body.expires_at) - Date.now()) / 86_400_000;
      expect(days).toBeGreaterThan(29.9);
      expect(days).toBeLessThanOrEqual(30);
      expect(headers.getSetCookie()[0]).toMatch(
        /^tollgate_session=ts_[0-9A-Za-z]{46}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax$/,
      );
      expect(headers.get('cache-control')).toBe('no-store');
    });

    test('over https sets cookies that no other host can set, and reads no others', async () => {
      const https = { 'x-forwarded-proto': 'https' };
      const { headers, body } = await visitor.signIn('kim@example.com', PASSWORD, https);
      const lines = headers.getSetCookie();
      expect(lines.map((line) => line.split('=', 1)[0])).toEqual([
        '__Host-tollgate_session',
        '__Host-tollgate_device',
      ]);
      for (const line of lines)
        expect(line).toMatch(/^[\w-]+=[^;]+; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax; Secure$/);
      const [cookie = ''] = (lines[0] ?? '').split(';');
      const plain = cookie.replace('__Host-', '');
      expect((await visitor.look({ cookie, ...https })).status).toBe(200);
      // Somebody else's session, which a page of a neighbouring host or someone on the network gave the browser.
      expect((await visitor.look({ cookie: plain, ...https })).status).toBe(401);
      const reader = await visitor.look({ cookie: `${plain}x; ${cookie}`, ...https });
      expect([reader.status, reader.body.csrf]).toEqual([200, body.csrf]);
      const out = await visitor.signOut({ cookie, ...https, 'x-csrf-token': body.csrf });
      expect(out.headers.getSetCookie()).toEqual([
        '__Host-tollgate_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure',
        'tollgate_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure',
      ]);
    });

    test('a session of a previous version continues over https with the cookie that it has', async () => {
      const https = { 'x-forwarded-proto': 'https' };
      const { cookie, csrf } = await visitor.enter('kim@example.com', PASSWORD);
      expect((await visitor.look({ cookie, ...https })).status).toBe(401);
      await gateway.query(sql`update sessions set host_cookie = false`);
      expect((await visitor.look({ cookie, ...https })).status).toBe(200);
      const out = await visitor.signOut({ cookie, ...https, 'x-csrf-token': csrf });
      expect(out.headers.getSetCookie()).toContainEqual(
        expect.stringMatching(/^tollgate_session=; .*Secure$/),
      );
    });

    test('answers a token instead of a cookie if a program asks for it', async () => {
      const body = { email: 'kim@example.com', password: PASSWORD, keep: 'token' };
      const reply = await visitor.send('POST', '/api/console/session', { body });
      expect(reply.headers.get('set-cookie')).toBeNull();
      const bearer = { authorization: `Bearer ${reply.body.token}` };
      const { token, ...rest } = reply.body;
      expect(token).toMatch(/^ts_/);
      expect(await visitor.look(bearer)).toMatchObject({ status: 200, body: rest });
      // What has no cookie needs no token against forged requests.
      expect((await visitor.signOut(bearer)).status).toBe(200);
      expect((await visitor.look(bearer)).status).toBe(401);
    });

    test('a visitor is answered with their session, or with null instead of an error', async () => {
      const visit = (headers = {}) => visitor.send('GET', '/api/console/visitor', { headers });
      expect(await visit()).toMatchObject({ status: 200, body: { session: null } });
      const { cookie, csrf } = await visitor.enter('kim@example.com', PASSWORD);
      const { body: session } = await visitor.look({ cookie });
      const seen = await visit({ cookie });
      expect([seen.status, seen.body]).toEqual([200, { session }]);
      expect(seen.headers.get('cache-control')).toBe('no-store');
      await visitor.signOut({ cookie, 'x-csrf-token': csrf });
      for (const ended of [{ cookie }, { cookie: 'tollgate_session=x' }, { authorization: 'Bearer x' }])
        expect(await visit(ended)).toMatchObject({ status: 200, body: { session: null } });
    });

    test.each([
      ['a wrong password', 'kim@example.com', 'correct horse batterY'],
      ['an unknown e-mail', 'ghost@example.com', PASSWORD],
      ['a member who has no password', 'nopass@example.com', PASSWORD],
      ['an operator of nothing any more', 'gone@example.com', PASSWORD],
    ])('with %s is rejected with the same words', async (_, email, password) => {
      if (email.startsWith('nopass')) {
        await gateway.admin('members.add', { space: 'acme', email, role: 'member' });
        await gateway.admin('people.link', { email });
      }
      if (email.startsWith('gone')) {
        await gateway.admin('operators.add', { email, password });
        await gateway.admin('operators.remove', { email });
      }
      const { status, body, headers } = await visitor.signIn(email, password);
      expect(new Shape(ErrorBody).error(body)).toBeNull();
      expect({ status, type: body.type, detail: body.detail, cookie: headers.get('set-cookie') }).toEqual({
        status: 401,
        type: 'invalid_credentials',
        detail: 'The e-mail or the password is wrong.',
        cookie: null,
      });
    });

    test.each([
      ['no password', { email: 'kim@example.com' }, 400, 'password'],
      ['an e-mail that is none', { email: 'kim\u0000@x.y', password: 'x' }, 400, 'email'],
      ['a field too many', { email: 'kim@example.com', password: 'x', admin: true }, 400, 'admin'],
      ['a body of a megabyte', `{"email": "${'x'.repeat(1_000_000)}"}`, 413, null],
    ])('with %s is rejected, naming the field', async (_, body, status, param) => {
      const reply = await visitor.send('POST', '/api/console/session', { body });
      expect([reply.status, reply.body.error.param]).toEqual([status, param]);
    });
  });

  describe('a session', () => {
    test('ends at once, also on the server, when the person signs out', async () => {
      const { cookie, csrf, token } = await visitor.enter('kim@example.com', PASSWORD);
      expect((await visitor.look({ cookie: `theme=dark; ${cookie}; x=1` })).status).toBe(200);
      const reply = await visitor.signOut({ cookie, 'x-csrf-token': csrf });
      expect(reply.body).toEqual({ signed_out: true });
      expect(reply.headers.get('set-cookie')).toMatch(/^tollgate_session=; Path=\/; Max-Age=0; HttpOnly/);
      for (const headers of [{ cookie }, { authorization: `Bearer ${token}` }]) {
        const { status, body } = await visitor.look(headers);
        expect(new Shape(ErrorBody).error(body)).toBeNull();
        expect([status, body.type]).toEqual([401, 'invalid_credentials']);
        expect(body.detail).toBe('The session is invalid or has expired. Sign in again.');
      }
    });

    test.each([
      [
        '30 days after it began, however much it is used',
        sql`update sessions set expires_at = now() - interval '1 second'`,
      ],
      [
        'after 7 days in which it was not used',
        // The database knows microseconds, the gateway milliseconds: within one, 7 days were not over for it.
        sql`update sessions set last_seen_at = now() - interval '7 days 1 millisecond'`,
      ],
    ])('ends %s', async (_, passTime) => {
      const { cookie } = await visitor.enter('ops@example.com', PASSWORD);
      expect((await visitor.look({ cookie })).status).toBe(200);
      await gateway.query(passTime);
      expect((await visitor.look({ cookie })).status).toBe(401);
    });

    test('stays alive while it is used, which is stored at most once per minute', async () => {
      const { cookie } = await visitor.enter('ops@example.com', PASSWORD);
      const seenAfter = async (ago: string): Promise<number> => {
        await gateway.query(sql`update sessions set last_seen_at = now() - ${ago}::interval`);
        expect((await visitor.look({ cookie })).status).toBe(200);
        const [row] = await gateway.query<{ seconds: number }>(
          sql`select extract(epoch from now() - max(last_seen_at))::integer as seconds from sessions`,
        );
        return row?.seconds ?? Number.NaN;
      };
      expect(await seenAfter('30 seconds')).toBeGreaterThanOrEqual(30);
      expect(await seenAfter('6 days')).toBeLessThan(10);
    });

    test('stops showing a space when the person is removed from it, and ends with the last one', async () => {
      await newMember('lee@example.com');
      await gateway.admin('members.add', { space: 'globex', email: 'lee@example.com', role: 'member' });
      const { cookie } = await visitor.enter('lee@example.com', PASSWORD);
      expect(names((await visitor.look({ cookie })).body)).toEqual(['acme: member', 'globex: member']);
      await gateway.admin('members.remove', { space: 'acme', email: 'lee@example.com' });
      expect(names((await visitor.look({ cookie })).body)).toEqual(['globex: member']);
      await gateway.admin('members.remove', { space: 'globex', email: 'lee@example.com' });
      expect((await visitor.look({ cookie })).status).toBe(401);
      expect((await visitor.signIn('lee@example.com', PASSWORD)).status).toBe(401);
    });

    test('of an operator shows every space, until operator rights are removed', async () => {
      await newMember('root@example.com');
      await gateway.admin('operators.add', { email: 'root@example.com', password: PASSWORD });
      const { cookie } = await visitor.enter('root@example.com', PASSWORD);
      await gateway.admin('spaces.create', { name: 'newest' });
      const seen = await visitor.look({ cookie });
      expect(seen.body.person.operator).toBe(true);
      expect(names(seen.body).sort()).toEqual(
        ['acme', 'globex', 'initech', 'newest'].map((name) => `${name}: operator`),
      );
      await gateway.admin('operators.remove', { email: 'root@example.com' });
      expect(names((await visitor.look({ cookie })).body)).toEqual(['acme: member']);
    });

    test('ends when the password is changed', async () => {
      await newMember('han@example.com');
      const { cookie } = await visitor.enter('han@example.com', PASSWORD);
      await gateway.admin('people.password', { email: 'han@example.com', password: 'another password' });
      expect((await visitor.look({ cookie })).status).toBe(401);
      expect((await visitor.signIn('han@example.com', PASSWORD)).status).toBe(401);
      expect((await visitor.signIn('han@example.com', 'another password')).status).toBe(200);
    });

    test('stores the browser it began in, shortened, and the oldest of too many ends', async () => {
      await newMember('many@example.com');
      await visitor.enter('many@example.com', PASSWORD);
      const mine = sql`select digest, user_agent from sessions s join people p on p.id = person_id
        where email = 'many@example.com' order by last_seen_at`;
      const [first] = await gateway.query<{ digest: string }>(mine);
      await gateway.query(sql`
        insert into sessions select 'filler' || i, person_id, 'x', created_at, expires_at, last_seen_at + interval '1 second'
        from sessions, generate_series(1, 49) as i where digest = ${first?.digest ?? ''}`);
      await visitor.signIn('many@example.com', PASSWORD, { 'user-agent': 'B'.repeat(5_000) });
      const rows = await gateway.query<{ digest: string; user_agent: string }>(mine);
      expect(rows).toHaveLength(50);
      expect(rows.map(({ digest }) => digest)).not.toContain(first?.digest);
      expect(rows.map(({ user_agent }) => user_agent)).toContain('B'.repeat(200));
    });
  });

  describe('a one-time link', () => {
    const newCode = async (email: string): Promise<string> =>
      (await gateway.admin('people.link', { email })).code;

    test('signs in once, also when it is used twice at the same time', async () => {
      const code = await newCode('kim@example.com');
      const replies = await Promise.all(Array.from({ length: 5 }, () => visitor.useLink(code)));
      expect(replies.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401, 401]);
      const good = replies.find(({ status }) => status === 200);
      expect(good?.body.person.email).toBe('kim@example.com');
      expect(good?.headers.get('set-cookie')).toContain('HttpOnly; SameSite=Lax');
      const again = await visitor.useLink(code);
      expect(again.body.detail).toBe(
        'The link is invalid, was already used or has expired. Ask for a new one.',
      );
    });

    test('does not work after ten minutes, or for a person who has lost all access', async () => {
      const code = await newCode('kim@example.com');
      const [row] = await gateway.query<{ minutes: number }>(sql`
        select extract(epoch from max(expires_at) - now())::integer / 60.0 as minutes from sign_in_links`);
      expect(Number(row?.minutes)).toBeCloseTo(10, 0);
      await gateway.query(sql`update sign_in_links set expires_at = now() - interval '1 second'`);
      expect((await visitor.useLink(code)).status).toBe(401);
      await newMember('brief@example.com');
      const lost = await newCode('brief@example.com');
      await gateway.admin('members.remove', { space: 'acme', email: 'brief@example.com' });
      expect((await visitor.useLink(lost)).status).toBe(401);
    });

    test.each(['', 'sl_nonsense', newSecret('sl'), newSecret('ts')])('%j is rejected', async (code) => {
      const { status } = await visitor.useLink(code);
      expect(status).toBe(code === '' ? 400 : 401);
    });

    test('is used by its page, not by a program that only fetches the address', async () => {
      const reply = await fetch(`${gateway.url}/console/sign-in`);
      expect(reply.status).toBe(200);
      expect(reply.headers.get('content-security-policy')).toContain("default-src 'self'");
      expect(reply.headers.get('set-cookie')).toBeNull();
      expect((await fetch(`${gateway.url}/console/sign-inn`)).status).toBe(404);
    });
  });

  describe('a write with the cookie', () => {
    let session: { cookie: string; csrf: string };
    beforeAll(async () => {
      session = await newVisitor().enter('kim@example.com', PASSWORD);
    });

    const foreign = 'https://evil.example';
    test.each<[string, (csrf: string) => Record<string, string>]>([
      ['without x-csrf-token', () => ({})],
      ['with another x-csrf-token', () => ({ 'x-csrf-token': 'f'.repeat(64) })],
      ['from a page of another site', (csrf) => ({ 'x-csrf-token': csrf, origin: foreign })],
      ['from a page of no site', (csrf) => ({ 'x-csrf-token': csrf, origin: 'null' })],
      [
        'that the browser calls cross-site',
        (csrf) => ({ 'x-csrf-token': csrf, 'sec-fetch-site': 'cross-site' }),
      ],
      [
        'that the browser calls same-site',
        (csrf) => ({ 'x-csrf-token': csrf, 'sec-fetch-site': 'same-site' }),
      ],
    ])('%s is rejected, and the session stays alive', async (_, headers) => {
      const { cookie, csrf } = session;
      const { status, body } = await visitor.signOut({ cookie, ...headers(csrf) });
      expect(new Shape(ErrorBody).error(body)).toBeNull();
      expect([status, body.type]).toEqual([403, 'csrf_failed']);
      expect((await visitor.look({ cookie })).status).toBe(200);
    });

    test('from another site cannot sign a person in either', async () => {
      const { status, body } = await visitor.signIn('kim@example.com', PASSWORD, { origin: foreign });
      expect([status, body.type]).toEqual([403, 'csrf_failed']);
      expect((await visitor.useLink(newSecret('sl'), { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    });

    test('from our own page is accepted', async () => {
      const own = { origin: gateway.url, 'sec-fetch-site': 'same-origin' };
      const { cookie, csrf } = session;
      expect((await visitor.signOut({ cookie, 'x-csrf-token': csrf, ...own })).status).toBe(200);
    });
  });

  describe('the wrong kind of credential', () => {
    test.each([
      [
        'a gateway key',
        newKeySecret('shared'),
        /^This is a gateway key \(sk_…\); this endpoint takes a console session/,
      ],
      ['a management key', newKeySecret('management'), /^This is a management key \(mk_…\)/],
      ['a link', newSecret('sl'), /^This is the code of a sign-in link \(sl_…\)/],
      ['a session that was cut', newSecret('ts').slice(0, -2), /^The session is not well-formed/],
      ['a session nobody has', newSecret('ts'), /^The session is invalid or has expired/],
    ])('%s is not accepted as a session', async (_, text, detail) => {
      for (const headers of [{ authorization: `Bearer ${text}` }, { cookie: `tollgate_session=${text}` }]) {
        const { status, body } = await visitor.look(headers);
        expect([status, body.type]).toEqual([401, 'invalid_credentials']);
        expect(body.detail).toMatch(detail);
      }
    });

    test.each([{}, { cookie: 'other=1' }, { cookie: 'tollgate_session=' }, { 'x-api-key': 'sk_x' }])(
      '%j is answered as not signed in',
      async (headers) => {
        const { status, body } = await visitor.look(headers as Record<string, string>);
        expect([status, body.type]).toEqual([401, 'missing_credentials']);
      },
    );

    test('a session is not accepted by the gateway or the platform API, and the error says what is', async () => {
      const { token } = await visitor.enter('ops@example.com', PASSWORD);
      const headers = { authorization: `Bearer ${token}` };
      for (const [path, wanted] of [
        ['/v1/models', 'a gateway key (sk_…)'],
        ['/v1/usage', 'a management key (mk_…)'],
      ] as const) {
        const { status, body } = await visitor.send('GET', path, { headers });
        expect([status, body.type]).toEqual([401, 'invalid_credentials']);
        expect(body.detail).toContain(`This is a console session (ts_…); this endpoint takes ${wanted}.`);
      }
    });
  });

  test('no password, token or code is ever written to the log or the database', async () => {
    await newMember('canary@example.com');
    const password = 'CANARY-PASSWORD-7461';
    await gateway.admin('people.password', { email: 'canary@example.com', password });
    const { token, csrf, cookie } = await visitor.enter('canary@example.com', password);
    const { code } = await gateway.admin('people.link', { email: 'canary@example.com' });
    await visitor.useLink(code);
    await visitor.useLink(code);
    await visitor.signIn(`${token}@x`, password.slice(0, -1));
    await visitor.signOut({ cookie, 'x-csrf-token': csrf, origin: `https://${token}` });
    await visitor.look({ authorization: `Bearer ${token}x` });
    await gateway.admin('people.password', { email: password, password }).catch(() => undefined);
    // Refusals are written down a moment later, with a key in their path masked; of many in a second only some.
    const masked = sql`select 1 as one from refusals where detail like '/api/console/[secret]% does not exist%'`;
    const noted = async (): Promise<void> => {
      await visitor.send('GET', `/api/console/${token}`);
      expect((await gateway.query(masked)).length).toBeGreaterThan(0);
    };
    await vi.waitFor(noted, PATIENCE);
    const tables = await gateway.query<{ name: string }>(
      sql`select tablename as name from pg_tables where schemaname = 'public'`,
    );
    expect(tables.length).toBeGreaterThan(10);
    const rows = await Promise.all(
      tables.map(({ name }) => gateway.query({ text: `select t::text as row from ${name} t`, values: [] })),
    );
    const written = gateway.logged.join('') + JSON.stringify(rows);
    expect(written.includes('canary@example.com')).toBe(true);
    const secrets = { password, nearly: password.slice(0, -1), token, csrf, code };
    const found = Object.entries(secrets).filter(([, secret]) => written.includes(secret));
    expect(found.map(([name]) => name)).toEqual([]);
  });
});
