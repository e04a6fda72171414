/** What people leave behind: no token and no invitation has more rights than the person who answers for it has now. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sql } from '../../src/database/sql.ts';
import { AdminClient } from '../support/admin-client.ts';
import { ConsoleVisitor } from '../support/console-visitor.ts';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

const PASSWORD = 'correct horse battery';
const acme = { space: 'acme' };

describe.each(engines)('rights that end on %s', (engine) => {
  let gateway: TestGateway;
  let visitor: ConsoleVisitor;
  let people = 0;
  /** An operator who stays. */
  let boss: AdminClient;

  beforeAll(async () => {
    gateway = await startGateway({ engine });
    visitor = new ConsoleVisitor(gateway.url, '');
    await gateway.admin('operators.add', { email: 'boss@example.com', password: PASSWORD });
    boss = await person('boss@example.com');
  });
  afterAll(() => gateway.stop());

  let ann: AdminClient;
  let email: string;
  beforeEach(async () => {
    email = `ann${++people}@example.com`;
    await gateway.admin('members.add', { ...acme, email, role: 'admin' });
    ann = await person(email);
  });

  const clientOf = (credential: string) => new AdminClient(gateway, credential);

  /** Signed in with a link, which is faster than a password. */
  async function person(address: string): Promise<AdminClient> {
    const { code } = await gateway.admin('people.link', { email: address });
    const body = { code, keep: 'token' };
    return clientOf((await visitor.send('POST', '/api/console/session/link', { body })).body.token);
  }

  async function made(
    by: AdminClient,
    name = `token-${people}`,
  ): Promise<{ client: AdminClient; id: string }> {
    const { status, body } = await by.call('tokens.create', { ...acme, name, access: 'write' });
    expect([status, body.detail]).toEqual([200, undefined]);
    return { client: clientOf(body.token), id: body.id };
  }

  const works = async ({ client }: { client: AdminClient }): Promise<number> =>
    (await client.call('members.list', acme)).status;

  const lastLine = async () => (await gateway.admin('audit.all', { limit: 1 })).data[0];

  test('a token invites nobody and makes nobody an administrator, and says who may', async () => {
    const { client } = await made(ann);
    const spy = 'spy@example.com';
    for (const [name, input] of [
      ['invitations.create', { ...acme, email: spy, role: 'member' }],
      ['members.add', { ...acme, email: spy, role: 'admin' }],
      ['members.role', { ...acme, email, role: 'admin' }],
    ] as const) {
      const { status, body } = await client.call(name, input);
      expect([name, status, body.type]).toEqual([name, 403, 'permission_denied']);
      expect(body.detail).toContain('Sign in as a person, or use a shell on the server.');
    }
    expect((await client.call('members.add', { ...acme, email: spy, role: 'member' })).status).toBe(200);
    expect((await client.call('members.remove', { ...acme, email: spy })).status).toBe(200);
  });

  test('removing an administrator shows and ends their tokens and invitations, for good', async () => {
    const token = await made(ann);
    const spy = `spy${people}@example.com`;
    const { body: invited } = await ann.call('invitations.create', { ...acme, email: spy, role: 'admin' });
    expect(await works(token)).toBe(200);
    const removed = await boss.call('members.remove', { ...acme, email });
    const ended = {
      tokens_ended: [{ id: token.id, name: `token-${people}`, space: 'acme', access: 'write' }],
      tokens_kept: [],
      invitations_revoked: [spy],
    };
    expect([removed.status, removed.body]).toMatchObject([200, { email, ...ended }]);
    expect(await lastLine()).toMatchObject({
      ...{ actor: 'boss@example.com', action: 'members.remove', subject: email },
      after: ended,
    });
    expect(await works(token)).toBe(401);
    const accept = { code: invited.code, password: PASSWORD };
    const accepted = await visitor.send('POST', '/api/console/invitations/accept', { body: accept });
    expect(accepted.status).toBe(401);
    await gateway.admin('members.add', { ...acme, email, role: 'admin' });
    expect(await works(token)).toBe(401);
  });

  test('a lower role ends them too, and a role that stays ends nothing', async () => {
    const token = await made(ann);
    expect((await boss.call('members.role', { ...acme, email, role: 'admin' })).body.tokens_ended).toEqual(
      [],
    );
    expect(await works(token)).toBe(200);
    const { body } = await boss.call('members.role', { ...acme, email, role: 'member' });
    expect(body.tokens_ended).toMatchObject([{ id: token.id }]);
    expect(await works(token)).toBe(401);
  });

  test('a token that is kept on purpose is answered for by the person who kept it', async () => {
    const other = `kim${people}@example.com`;
    await gateway.admin('members.add', { ...acme, email: other, role: 'admin' });
    const [kim, token] = [await person(other), await made(ann)];
    const { status, body } = await kim.call('members.remove', { ...acme, email, keep_tokens: true });
    expect([status, body]).toMatchObject([200, { tokens_ended: [], tokens_kept: [{ id: token.id }] }]);
    expect(await lastLine()).toMatchObject({ actor: other, after: { tokens_kept: [{ id: token.id }] } });
    expect(await works(token)).toBe(200);
    const { body: listed } = await kim.call('tokens.list', { ...acme, owner: other });
    expect(listed.data).toMatchObject([{ id: token.id, created_by: email, owner: other, active: true }]);
    await boss.call('members.role', { ...acme, email: other, role: 'member' });
    expect(await works(token)).toBe(401);
  });

  test('neither a token nor the person who leaves can keep tokens', async () => {
    const token = await made(ann);
    const own = await ann.call('members.remove', { ...acme, email, keep_tokens: true });
    expect([own.status, own.body.error.param]).toEqual([409, 'keep_tokens']);
    const other = await made(boss, `boss-${people}`);
    const byToken = await other.client.call('members.remove', { ...acme, email, keep_tokens: true });
    expect([byToken.status, byToken.body.type]).toEqual([403, 'permission_denied']);
    expect(await works(token)).toBe(200);
    const left = await ann.call('members.remove', { ...acme, email });
    expect(left.body.tokens_ended).toMatchObject([{ id: token.id }]);
    expect(await works(token)).toBe(401);
  });

  test('an operator who is removed leaves no token of the installation, and keeps those of spaces they administer', async () => {
    await gateway.admin('operators.add', { email, password: PASSWORD });
    const operator = await person(email);
    await gateway.admin('spaces.create', { name: `lab-${people}` });
    const whole = await operator.call('operatorTokens.create', { name: `all-${people}`, access: 'write' });
    const lab = await operator.call('tokens.create', {
      ...{ space: `lab-${people}`, name: 'lab', access: 'write' },
    });
    const own = await made(operator);
    const before = await boss.call('operatorTokens.list', { owner: email, everywhere: true });
    expect(before.body.data.map(({ id }: { id: string }) => id).toSorted()).toEqual(
      [whole.body.id, lab.body.id, own.id].toSorted(),
    );
    const removed = await boss.call('operators.remove', { email });
    expect(removed.body).toMatchObject({ email, operator: false });
    expect(removed.body.tokens_ended.map(({ id }: { id: string }) => id).toSorted()).toEqual(
      [whole.body.id, lab.body.id].toSorted(),
    );
    expect((await clientOf(whole.body.token).call('spaces.list', {})).status).toBe(401);
    expect((await clientOf(lab.body.token).call('spaces.list', {})).status).toBe(401);
    expect(await works(own)).toBe(200);
  });

  test('a token whose owner lost the right without any of this is rejected all the same, and is shown so', async () => {
    const token = await made(ann);
    const { body: invited } = await ann.call('invitations.create', {
      ...{ ...acme, email: `late${people}@example.com`, role: 'admin' },
    });
    await gateway.query(sql`update members set removed_at = now() where email = ${email}`);
    const { status, body } = await token.client.call('members.list', acme);
    expect([status, body.type]).toEqual([401, 'invalid_credentials']);
    expect(body.detail).toContain('has lost the right');
    const { body: listed } = await boss.call('tokens.list', { ...acme, owner: email });
    expect(listed.data).toMatchObject([{ id: token.id, active: false }]);
    const look = await visitor.send('POST', '/api/console/invitations/look', {
      body: { code: invited.code },
    });
    expect(look.status).toBe(401);
  });

  test('an invitation that a token created before tokens could not is not accepted', async () => {
    const { body: invited } = await ann.call('invitations.create', {
      ...{ ...acme, email: `old${people}@example.com`, role: 'admin' },
    });
    await gateway.query(sql`update invitations set created_by = 'token:ci' where id = ${invited.id}`);
    const look = await visitor.send('POST', '/api/console/invitations/look', {
      body: { code: invited.code },
    });
    expect(look.status).toBe(401);
  });

  test('what someone made who only seemed to own the address ends when the owner is confirmed', async () => {
    const guest = `guest${people}@example.com`;
    const { body: invited } = await ann.call('invitations.create', { ...acme, email: guest, role: 'admin' });
    const accepted = await visitor.send('POST', '/api/console/invitations/accept', {
      body: { code: invited.code, password: PASSWORD, keep: 'token' },
    });
    const token = await made(clientOf(accepted.body.token), `guest-${people}`);
    expect(await works(token)).toBe(200);
    await gateway.admin('people.link', { email: guest });
    expect(await works(token)).toBe(401);
  });

  test('a token that was created in a shell is answered for by nobody who can leave', async () => {
    const name = `shell-${people}`;
    const { token, id } = await gateway.admin('tokens.create', { ...acme, name, access: 'read' });
    await boss.call('members.remove', { ...acme, email });
    expect(await works({ client: clientOf(token) })).toBe(200);
    expect((await gateway.admin('tokens.list', acme)).data).toContainEqual(
      expect.objectContaining({ id, owner: 'test', active: true }),
    );
  });
});
