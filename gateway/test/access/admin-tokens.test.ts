/** Administration tokens, and who a request is by: a person, a program, or nobody. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Actors, shellActor } from '../../src/access/actor.ts';
import { type AdminToken, listAdminTokens, revokeAdminToken } from '../../src/access/admin-tokens.store.ts';
import { createAdminToken } from '../../src/access/create-admin-token.ts';
import { newKeySecret, newSecret } from '../../src/access/key-secret.ts';
import { Sessions } from '../../src/access/sessions.ts';
import { PASSWORD_ONLY } from '../../src/access/sign-in-ways.ts';
import type { Database } from '../../src/database/database.ts';
import { sql } from '../../src/database/sql.ts';
import { ConsoleVisitor } from '../support/console-visitor.ts';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { type ShiftedClock, shiftedClock } from '../support/shifted-clock.ts';

const PASSWORD = 'correct horse battery';
const DAY_MS = 86_400_000;

describe.each(engines)('administration tokens on %s', (engine) => {
  let gateway: TestGateway;
  let db: Database;
  let clock: ShiftedClock;
  let actors: Actors;
  let acme: string;
  let visitor: ConsoleVisitor;

  beforeAll(async () => {
    clock = shiftedClock();
    const wrapDatabase = (opened: Database): Database => {
      db = opened;
      return opened;
    };
    gateway = await startGateway({ engine, clock, wrapDatabase });
    await gateway.admin('members.add', { email: 'kim@example.com', role: 'member' });
    await gateway.admin('people.password', { email: 'kim@example.com', password: PASSWORD });
    await gateway.admin('operators.add', { email: 'ops@example.com', password: PASSWORD });
    acme = (await gateway.query<{ id: string }>(sql`select id from spaces`))[0]?.id as string;
    visitor = new ConsoleVisitor(gateway.url, '');
    const sessions = new Sessions({
      db,
      clock,
      publicOrigin: null,
      ways: PASSWORD_ONLY,
      usesHttps: () => false,
    });
    actors = new Actors({ db, clock, sessions });
  });
  afterAll(() => gateway.stop());

  let tokens = 0;
  function create(more: Partial<Pick<AdminToken, 'name' | 'spaceId' | 'access' | 'expiresAt'>> = {}) {
    const wanted = {
      name: `ci-${++tokens}`,
      spaceId: acme,
      access: 'write',
      createdBy: 'ops@example.com',
    } as const;
    const token = { ...wanted, expiresAt: clock.now() + 30 * DAY_MS, ...more };
    return db.transaction((tx) => createAdminToken(tx, token, clock.now()));
  }
  const actorAt = async (request: Parameters<Actors['callerOf']>[0]) => {
    const { reread: _, ...actor } = (await actors.callerOf(request)).actor;
    return actor;
  };
  const actorOf = (secret: string) => actorAt({ headers: { authorization: `Bearer ${secret}` } });

  test('of a space acts as an administrator of it, one of the installation as an operator', async () => {
    const own = await create({ access: 'read' });
    expect(own.secret).toMatch(/^at_[0-9A-Za-z]{46}$/);
    expect(own.hint).toBe(`at_…${own.secret.slice(-4)}`);
    expect(await actorOf(own.secret)).toEqual({
      ...{ id: own.id, name: `token:${own.name}`, isOperator: false, access: 'read', credential: 'token' },
      memberships: [{ spaceId: acme, role: 'admin', memberId: null, email: null }],
    });
    const all = await create({ spaceId: null });
    expect(await actorOf(all.secret)).toEqual({
      ...{ id: all.id, name: `token:${all.name}`, isOperator: true, access: 'write', credential: 'token' },
      memberships: [],
    });
  });

  test('a session acts as its person, with the rules of its cookie', async () => {
    const { token, cookie, csrf } = await visitor.enter('kim@example.com', PASSWORD);
    const [member] = await gateway.query<{ id: string }>(sql`select id from members`);
    const kim = {
      id: expect.stringMatching(/^per_/),
      ...{ name: 'kim@example.com', isOperator: false, access: 'write', credential: 'session' },
      memberships: [{ spaceId: acme, role: 'member', memberId: member?.id, email: 'kim@example.com' }],
    };
    expect(await actorOf(token)).toEqual(kim);
    const write = { method: 'POST', headers: { cookie, host: 'x' } };
    await expect(actorAt(write)).rejects.toMatchObject({ code: 'csrf_failed' });
    const own = { ...write, headers: { ...write.headers, 'x-csrf-token': csrf } };
    expect(await actorAt(own)).toEqual(kim);
    const ops = await visitor.enter('ops@example.com', PASSWORD);
    expect(await actorOf(ops.token)).toMatchObject({
      name: 'ops@example.com',
      isOperator: true,
      memberships: [],
    });
    expect(shellActor('operator:root')).toMatchObject({
      name: 'operator:root',
      isOperator: true,
      credential: 'shell',
    });
  });

  test('ends when it is revoked, within its own scope alone, and when it expires', async () => {
    const { id, secret, name } = await create();
    const revoke = (spaceId: string | null) =>
      db.transaction((tx) => revokeAdminToken(tx, { spaceId, id }, clock.now()));
    expect(await revoke(null)).toBeNull();
    expect(await revoke('spc_other')).toBeNull();
    expect((await actorOf(secret)).name).toBe(`token:${name}`);
    expect(await revoke(acme)).toMatchObject({ id, name });
    expect(await revoke(acme)).toBeNull();
    await expect(actorOf(secret)).rejects.toThrow('is unknown or was revoked');
    const brief = await create({ expiresAt: clock.now() + 1_000 });
    clock.shift(1_000);
    await expect(actorOf(brief.secret)).rejects.toThrow(
      /^The administration token expired at 20.*\+09:00\. Create/,
    );
    await expect(create({ expiresAt: clock.now() })).rejects.toThrow('must be in the future');
  });

  test('has a name of its own in its scope, which is free again when it is revoked', async () => {
    const { id } = await create({ name: 'deploy' });
    await create({ name: 'deploy', spaceId: null });
    await expect(create({ name: 'deploy' })).rejects.toThrow('already an administration token named deploy');
    const both = await Promise.allSettled([create({ name: 'twice' }), create({ name: 'twice' })]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    await db.transaction((tx) => revokeAdminToken(tx, { spaceId: acme, id }, clock.now()));
    await create({ name: 'deploy' });
  });

  test('records when it was last used, at most once per minute', async () => {
    const { id, secret } = await create();
    const lastUsed = async (): Promise<number | null> =>
      (
        await gateway.query<{ at: number | null }>(
          sql`select last_used_at as at from admin_tokens where id = ${id}`,
        )
      )[0]?.at ?? null;
    expect(await lastUsed()).toBeNull();
    await actorOf(secret);
    const first = await lastUsed();
    expect(first).not.toBeNull();
    clock.shift(59_000);
    await actorOf(secret);
    expect(await lastUsed()).toBe(first);
    clock.shift(2_000);
    await actorOf(secret);
    expect((await lastUsed()) ?? 0).toBeGreaterThanOrEqual((first ?? 0) + 60_000);
  });

  test('lists in pages, newest first, of a space, of the installation or of everything, without secrets', async () => {
    await gateway.query(sql`delete from admin_tokens`);
    const made: string[] = [];
    for (const spaceId of [acme, null, acme, acme, null]) {
      made.push((await create({ spaceId })).id);
      clock.shift(1);
    }
    const read = async (of: { spaceId?: string | null }): Promise<string[]> => {
      const ids: string[] = [];
      for (let after: string | null = null; ; ) {
        const page: Awaited<ReturnType<typeof listAdminTokens>> = await listAdminTokens(db, {
          ...of,
          limit: 2,
          after,
        });
        ids.push(...page.rows.map(({ id }) => id));
        if (page.next === null) return ids;
        after = page.next;
      }
    };
    const [a, b, c, d, e] = made;
    expect(await read({})).toEqual([e, d, c, b, a]);
    expect(await read({ spaceId: acme })).toEqual([d, c, a]);
    expect(await read({ spaceId: null })).toEqual([e, b]);
    const { rows } = await listAdminTokens(db, { limit: 9, after: null });
    expect(Object.keys(rows[0] ?? {})).not.toContain('digest');
  });

  test('is rejected by the gateway, the platform API and the session endpoints, which say what belongs there', async () => {
    const { secret } = await create({ spaceId: null });
    const headers = { authorization: `Bearer ${secret}` };
    for (const [path, wanted] of [
      ['/v1/models', 'a gateway key (sk_…)'],
      ['/v1/usage', 'a management key (mk_…)'],
      ['/api/console/session', 'a console session (ts_…)'],
    ] as const) {
      const { status, body } = await visitor.send('GET', path, { headers });
      expect([status, body.type]).toEqual([401, 'invalid_credentials']);
      expect(body.detail).toContain(`This is an administration token (at_…); this endpoint takes ${wanted}.`);
    }
    const messages = await visitor.send('POST', '/v1/messages', {
      headers: { 'x-api-key': secret },
      body: {},
    });
    expect([
      messages.status,
      JSON.stringify(messages.body).includes('This is an administration token'),
    ]).toEqual([401, true]);
    expect(gateway.logged.join('')).not.toContain(secret);
  });

  test.each([
    [
      'a gateway key',
      newKeySecret('shared'),
      'This is a gateway key (sk_…). Send Authorization: Bearer at_…',
    ],
    ['an invitation', newSecret('iv'), 'This is the code of an invitation (iv_…). Send'],
    [
      'a token that was cut',
      newSecret('at').slice(0, -1),
      'The administration token is cut off or mistyped.',
    ],
    ['a token nobody has', newSecret('at'), 'The administration token is unknown or was revoked.'],
    ['a session nobody has', newSecret('ts'), 'The session is invalid or has expired.'],
    ['nonsense', 'nonsense', 'The session is not well-formed'],
  ])('%s makes nobody an actor', async (_, secret, words) => {
    const problem = expect.objectContaining({
      ...{ code: 'invalid_credentials', detail: expect.stringContaining(words) },
    });
    await expect(actorOf(secret)).rejects.toEqual(problem);
  });

  test('no credential at all is answered as not signed in', async () => {
    await expect(actorAt({ headers: {} })).rejects.toMatchObject({ code: 'missing_credentials' });
  });
});
