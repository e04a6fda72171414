/** Invitations by link, and that nobody becomes somebody else by accepting one. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createInvitation } from '../../src/access/create-invitation.ts';
import { type Invitation, listInvitations, revokeInvitation } from '../../src/access/invitations.store.ts';
import { newSecret } from '../../src/access/key-secret.ts';
import type { Role } from '../../src/access/members.store.ts';
import { Shape } from '../../src/contract/check-shape.ts';
import { ConsoleSession } from '../../src/contract/console.ts';
import { InvitationPreview } from '../../src/contract/invitations.ts';
import type { Database } from '../../src/database/database.ts';
import { sql } from '../../src/database/sql.ts';
import { changeConfig, testConfig } from '../support/config.ts';
import { ConsoleVisitor, type Visit } from '../support/console-visitor.ts';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { Browser, startIssuer, type TestIssuer } from '../support/issuer.ts';
import { type ShiftedClock, shiftedClock } from '../support/shifted-clock.ts';

const PASSWORD = 'correct horse battery';
const OTHER = 'another password';

describe.each(engines)('invitations on %s', (engine) => {
  let gateway: TestGateway;
  let issuer: TestIssuer;
  let db: Database;
  let clock: ShiftedClock;
  let visitor: ConsoleVisitor;
  let visitors = 0;
  let people = 0;
  const spaceIds = new Map<string, string>();

  beforeAll(async () => {
    clock = shiftedClock();
    issuer = await startIssuer();
    const client = { client_id: issuer.clientId, client_secret: issuer.clientSecret };
    const corp = { name: 'corp', label: 'Corp', issuer: issuer.url, ...client };
    const config = changeConfig(testConfig({ server: { trust_proxy: true } }), {
      sign_in: { issuers: [corp] },
    });
    const wrapDatabase = (opened: Database): Database => {
      db = opened;
      return opened;
    };
    gateway = await startGateway({ engine, config, clock, wrapDatabase });
    issuer.register(gateway.url, ['corp']);
    await gateway.admin('spaces.create', { name: 'globex' });
    for (const { id, name } of await gateway.query<{ id: string; name: string }>(
      sql`select id, name from spaces`,
    ))
      spaceIds.set(name, id);
  });
  afterAll(async () => {
    await gateway.stop();
    await issuer.stop();
  });
  beforeEach(() => {
    visitor = new ConsoleVisitor(gateway.url, `203.0.113.${++visitors}`);
  });

  const newEmail = (): string => `kim${++people}@example.com`;
  const spaceId = (name: string): string => spaceIds.get(name) as string;

  function invite(email: string, { space = 'acme', role = 'member' as Role } = {}) {
    const wanted = { spaceId: spaceId(space), email, role, createdBy: 'admin@example.com' };
    return db.transaction((tx) => createInvitation(tx, wanted, clock.now()));
  }
  const accept = (body: object, headers: Record<string, string> = {}): Promise<Visit> =>
    visitor.send('POST', '/api/console/invitations/accept', { body, headers });
  const look = (code: string): Promise<Visit> =>
    visitor.send('POST', '/api/console/invitations/look', { body: { code } });
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  const names = ({ body }: Visit): string[] =>
    ((body as Partial<ConsoleSession>).spaces ?? []).map(({ name, role }) => `${name}: ${role}`);

  /** Someone new who accepts an invitation; answers their session. */
  async function enter(email: string, of?: { space?: string; role?: Role }): Promise<string> {
    const { code } = await invite(email, of);
    const { body } = await accept({ code, password: PASSWORD, keep: 'token' });
    return body.token;
  }

  test('someone new sees what it is for, chooses a password, and is signed in as a member', async () => {
    const email = newEmail();
    const { code, expiresAt } = await invite(email, { role: 'admin' });
    const seen = await look(code);
    expect(new Shape(InvitationPreview).error(seen.body)).toBeNull();
    expect(seen.body).toEqual({
      ...{ space: 'acme', email, role: 'admin', needs_sign_in: false },
      expires_at: new Date(expiresAt).toISOString(),
    });
    expect((expiresAt - clock.now()) / 86_400_000).toBeCloseTo(7, 1);
    const reply = await accept({ code, password: PASSWORD, nickname: 'Kim' });
    expect(reply.status).toBe(200);
    expect(new Shape(ConsoleSession).error(reply.body)).toBeNull();
    expect(reply.body.person).toEqual({ email, nickname: 'Kim', operator: false });
    expect(names(reply)).toEqual(['acme: admin']);
    expect(reply.headers.getSetCookie()[0]).toMatch(/^tollgate_session=ts_.*; HttpOnly; SameSite=Lax$/);
    expect((await visitor.signIn(email, PASSWORD)).status).toBe(200);
    const [line] = (await gateway.admin('audit.all', {})).data;
    expect(line).toMatchObject({
      ...{ actor: email, action: 'invitations.accept', space: 'acme', subject: email, before: null },
      after: { role: 'admin', invited_by: 'admin@example.com' },
    });
  });

  test.each([
    ['no password', {}, 'password is required'],
    ['a short password', { password: 'short' }, 'must have 10 to 200'],
  ])('with %s it is rejected and stays open', async (_, body, words) => {
    const { code } = await invite(newEmail());
    const rejected = await accept({ code, ...body });
    expect([rejected.status, rejected.body.error.param]).toEqual([400, 'password']);
    expect(rejected.body.detail).toContain(words);
    expect((await accept({ code, password: PASSWORD })).status).toBe(200);
  });

  test('works once, also when it is accepted several times at the same time', async () => {
    const email = newEmail();
    const { code } = await invite(email);
    const replies = await Promise.all([1, 2, 3, 4].map(() => accept({ code, password: PASSWORD })));
    const statuses = replies.map(({ status }) => status).sort();
    expect([statuses[0], statuses.slice(1)]).toEqual([200, [401, 401, 401]]);
    expect((await accept({ code, password: OTHER })).status).toBe(401);
    const counted = sql`select count(*)::integer as rows from members where email = ${email}`;
    expect(await gateway.query(counted)).toEqual([{ rows: 1 }]);
  });

  test.each<[string, (invitation: Pick<Invitation, 'id' | 'spaceId'>) => Promise<unknown>]>([
    ['has expired', async () => clock.shift(7 * 86_400_000)],
    ['was revoked', (of) => db.transaction((tx) => revokeInvitation(tx, of, clock.now()))],
  ])('that %s is rejected like one that never existed', async (_, end) => {
    const { code, ...invitation } = await invite(newEmail());
    await end(invitation);
    const detail =
      'The invitation is invalid, was already accepted, was revoked or has expired. Ask for a new one.';
    for (const one of [code, newSecret('iv'), newSecret('sl'), 'iv_x']) {
      const replies = [await look(one), await accept({ code: one, password: PASSWORD })];
      for (const { status, body } of replies)
        expect([status, body.type, body.detail]).toEqual([401, 'invalid_credentials', detail]);
    }
  });

  test('is revoked once, by its own space alone, and a new one of the same address replaces it', async () => {
    const email = newEmail();
    const first = await invite(email);
    const second = await invite(email.toUpperCase(), { role: 'admin' });
    expect((await look(first.code)).status).toBe(401);
    expect((await look(second.code)).body.role).toBe('admin');
    const revoke = (space: string) =>
      db.transaction((tx) => revokeInvitation(tx, { spaceId: spaceId(space), id: second.id }, clock.now()));
    expect(await revoke('globex')).toBeNull();
    expect(await revoke('acme')).toMatchObject({ id: second.id, role: 'admin' });
    expect(await revoke('acme')).toBeNull();
  });

  test('lists in pages, newest first, of one space', async () => {
    await gateway.query(sql`delete from invitations`);
    const made = [];
    for (let i = 0; i < 5; i++) {
      made.push((await invite(newEmail())).id);
      clock.shift(1);
    }
    await invite(newEmail(), { space: 'globex' });
    const ids: string[] = [];
    let after: string | null = null;
    do {
      const page: { rows: readonly Invitation[]; next: string | null } = await listInvitations(db, {
        ...{ spaceId: spaceId('acme'), limit: 2, after },
      });
      ids.push(...page.rows.map(({ id }) => id));
      after = page.next;
    } while (after !== null);
    expect(ids).toEqual(made.toReversed());
    expect(
      JSON.stringify(await listInvitations(db, { spaceId: spaceId('acme'), limit: 9, after })),
    ).not.toContain('digest');
  });

  test('of a member who can sign in is rejected, and a space has at most 500 open ones', async () => {
    const email = newEmail();
    await enter(email);
    await expect(invite(email.toUpperCase())).rejects.toThrow('is already a member of the space');
    const known = newEmail();
    await gateway.admin('members.add', { space: 'acme', email: known, role: 'member' });
    expect((await look((await invite(known)).code)).status).toBe(200);
    await gateway.admin('people.password', { email: known, password: PASSWORD });
    await expect(invite(known)).rejects.toThrow('is already a member of the space');
    await gateway.query(sql`
      insert into invitations (id, space_id, email, role, digest, created_by, created_at, expires_at)
      select 'filler' || i, ${spaceId('globex')}, 'filler' || i, 'member', 'filler' || i, '', now(),
        now() + interval '100 days' from generate_series(1, 500) as i`);
    await expect(invite(newEmail(), { space: 'globex' })).rejects.toThrow('has 500 open invitations');
    await gateway.query(sql`delete from invitations where id like 'filler%'`);
  });

  describe('of a person who exists', () => {
    test('needs a session of that person, and only adds the membership', async () => {
      const email = newEmail();
      const token = await enter(email);
      const { code } = await invite(email.toUpperCase(), { space: 'globex', role: 'admin' });
      expect((await look(code)).body.needs_sign_in).toBe(true);
      const alone = await accept({ code, password: OTHER });
      expect([alone.status, alone.body.type]).toEqual([401, 'missing_credentials']);
      expect(alone.body.detail).toContain('already has an account here. Sign in');
      const stranger = await enter(newEmail());
      const wrong = await accept({ code, password: OTHER }, bearer(stranger));
      expect([wrong.status, wrong.body.type]).toEqual([403, 'sign_in_not_allowed']);
      const reply = await accept({ code, password: OTHER, nickname: 'Other' }, bearer(token));
      expect(names(reply)).toEqual(['acme: member', 'globex: admin']);
      expect(reply.headers.get('set-cookie')).toBeNull();
      expect(reply.body).not.toHaveProperty('token');
      // Neither password nor name has changed.
      expect((await visitor.signIn(email, PASSWORD)).body.person.nickname).toBe(email.split('@')[0]);
      expect((await accept({ code }, bearer(token))).status).toBe(401);
    });

    test('works once, also when it is accepted several times at the same time', async () => {
      const email = newEmail();
      const token = await enter(email);
      const { code } = await invite(email, { space: 'globex' });
      const replies = await Promise.all([1, 2, 3].map(() => accept({ code }, bearer(token))));
      expect(replies.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
    });

    test('with the cookie needs the CSRF token and our own page', async () => {
      const email = newEmail();
      await enter(email);
      const { cookie, csrf } = await visitor.enter(email, PASSWORD);
      const { code } = await invite(email, { space: 'globex' });
      const foreign = { cookie, 'x-csrf-token': csrf, origin: 'https://evil.example' };
      for (const headers of [{ cookie }, foreign])
        expect((await accept({ code }, headers)).body.type).toBe('csrf_failed');
      expect((await accept({ code, password: PASSWORD }, { origin: 'https://evil.example' })).status).toBe(
        403,
      );
      expect((await accept({ code }, { cookie, 'x-csrf-token': csrf })).status).toBe(200);
    });
  });

  describe('a person whom only an administrator of a space invited', () => {
    /** A member of globex by e-mail, whom an administrator of acme invites and pretends to be. */
    async function impostor(): Promise<{ email: string; token: string }> {
      const email = newEmail();
      await gateway.admin('members.add', { space: 'globex', email, role: 'admin' });
      return { email, token: await enter(email) };
    }

    test('sees only what they accepted, not the other memberships of the address', async () => {
      const { email, token } = await impostor();
      expect(names(await visitor.look(bearer(token)))).toEqual(['acme: member']);
      expect(names(await visitor.signIn(email, PASSWORD))).toEqual(['acme: member']);
      await gateway.admin('spaces.create', { name: `later-${people}-${engine}` });
      await gateway.admin('members.add', { space: `later-${people}-${engine}`, email, role: 'admin' });
      expect(names(await visitor.look(bearer(token)))).toEqual(['acme: member']);
      await gateway.admin('members.remove', { space: 'acme', email });
      expect((await visitor.look(bearer(token))).status).toBe(401);
      expect((await visitor.signIn(email, PASSWORD)).status).toBe(401);
    });

    test('accepting binds a membership that the address already has in the space, with its role', async () => {
      const email = newEmail();
      await gateway.admin('members.add', { space: 'acme', email, role: 'admin' });
      const token = await enter(email, { role: 'member' });
      expect(names(await visitor.look(bearer(token)))).toEqual(['acme: admin']);
    });

    test.each<[string, (email: string) => Promise<unknown>]>([
      ['makes a sign-in link for', (email) => gateway.admin('people.link', { email })],
      ['sets a password for', (email) => gateway.admin('people.password', { email, password: OTHER })],
      ['makes an operator of', (email) => gateway.admin('operators.add', { email, password: OTHER })],
    ])('loses the password and every session when an operator %s the address', async (_, vouch) => {
      const { email, token } = await impostor();
      await vouch(email);
      expect((await visitor.look(bearer(token))).status).toBe(401);
      expect((await visitor.signIn(email, PASSWORD)).status).toBe(401);
      const { code } = await gateway.admin('people.link', { email });
      const spaces = names(await visitor.useLink(code));
      expect(spaces.map((name) => name.split(':')[0])).toEqual(expect.arrayContaining(['acme', 'globex']));
    });

    test('loses them when an issuer signs the owner in, who then sees everything', async () => {
      const { email, token } = await impostor();
      issuer.account = { sub: email, email, email_verified: true };
      const browser = new Browser(visitor.address);
      await browser.follow(`${gateway.url}/api/console/oidc/corp/start`, (url) => url.endsWith('/console'));
      const own = bearer(browser.cookie(gateway.url, 'tollgate_session') as string);
      expect(names(await visitor.look(own))).toEqual(['acme: member', 'globex: admin']);
      expect((await visitor.look(bearer(token))).status).toBe(401);
      expect((await visitor.signIn(email, PASSWORD)).status).toBe(401);
      const [line] = (await gateway.admin('audit.all', {})).data;
      expect(line).toMatchObject({
        ...{ actor: 'oidc:corp', action: 'people.confirm', subject: email },
        before: { confirmed: false, password: 'set' },
        after: { confirmed: true, password: 'none' },
      });
    });

    test('is never an operator, whatever the code does', async () => {
      const { email } = await impostor();
      const change = gateway.query(sql`update people set is_operator = true where email = ${email}`);
      await expect(change).rejects.toThrow(/people_operator_confirmed/);
    });

    test('and a confirmed person is not changed by an invitation', async () => {
      const email = newEmail();
      await gateway.admin('members.add', { space: 'globex', email, role: 'member' });
      await gateway.admin('people.password', { email, password: PASSWORD });
      const { code } = await invite(email);
      expect((await accept({ code, password: OTHER })).status).toBe(401);
      const { token } = await visitor.enter(email, PASSWORD);
      expect(names(await accept({ code }, bearer(token)))).toEqual(['acme: member', 'globex: member']);
    });
  });

  test('are accepted by signing in through an issuer, for someone who has no access yet', async () => {
    const email = newEmail();
    await invite(email, { role: 'admin' });
    await invite(email, { space: 'globex' });
    issuer.account = { sub: email, email, email_verified: true };
    const browser = new Browser(visitor.address);
    await browser.follow(`${gateway.url}/api/console/oidc/corp/start`, (url) => url.endsWith('/console'));
    const own = bearer(browser.cookie(gateway.url, 'tollgate_session') as string);
    expect(names(await visitor.look(own))).toEqual(['acme: admin', 'globex: member']);
    const open = sql`select 1 as one from invitations where email = ${email} and accepted_at is null`;
    expect(await gateway.query(open)).toEqual([]);
    // Someone with access decides themselves.
    await gateway.admin('spaces.create', { name: `more-${people}-${engine}` });
    const [more] = await gateway.query<{ id: string }>(
      sql`select id from spaces where name = ${`more-${people}-${engine}`}`,
    );
    spaceIds.set('more', more?.id ?? '');
    await invite(email, { space: 'more' });
    await browser.follow(`${gateway.url}/api/console/oidc/corp/start`, (url) => url.endsWith('/console'));
    const again = bearer(browser.cookie(gateway.url, 'tollgate_session') as string);
    expect(names(await visitor.look(again))).toEqual(['acme: admin', 'globex: member']);
  });

  test('guessing codes is slowed down, and a code is written nowhere', async () => {
    const statuses: number[] = [];
    for (let i = 0; i < 22; i++) statuses.push((await look(newSecret('iv'))).status);
    expect(statuses).toEqual([...Array(20).fill(401), 429, 429]);
    const { code } = await invite(newEmail());
    expect((await accept({ code, password: PASSWORD })).status).toBe(429);
    visitor = new ConsoleVisitor(gateway.url, '198.51.100.7');
    await accept({ code, password: PASSWORD });
    await accept({ code, password: PASSWORD, nickname: 'again' });
    await visitor.send('GET', `/api/console/${code}`);
    const rows = await gateway.query(sql`select t::text as row from invitations t`);
    expect(JSON.stringify(rows) + gateway.logged.join('')).not.toContain(code);
  });
});
