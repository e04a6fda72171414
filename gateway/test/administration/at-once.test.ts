/** Administration while something else happens: changes at the same time, rights that are removed, a database that is away. */
import { request } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DatabaseUnavailable } from '../../src/database/database.ts';
import { openDatabase } from '../../src/database/open-database.ts';
import { sql } from '../../src/database/sql.ts';
import { systemClock } from '../../src/kernel/time.ts';
import { acme, PASSWORD } from '../support/admin-cases.ts';
import { AdminClient } from '../support/admin-client.ts';
import { type AdminStage, callWith, startAdminStage } from '../support/admin-stage.ts';
import { type BesideGateway, startBeside } from '../support/beside.ts';
import { engines } from '../support/engines.ts';
import { FaultyDatabase } from '../support/faulty-database.ts';

const ADMIN = 'ada@acme.test';

describe.each(engines)('administration on %s', (engine) => {
  const faulty = new FaultyDatabase();
  let stage: AdminStage;
  let session: string;
  let admin: AdminClient;
  /** A second process, where the engine allows one. */
  let beside: BesideGateway | null = null;
  let people = 0;

  beforeAll(async () => {
    stage = await startAdminStage({ engine, wrapDatabase: faulty.wrap });
    await stage.gateway.admin('members.add', { ...acme, email: ADMIN, role: 'admin' });
    session = await stage.session(ADMIN);
    admin = new AdminClient(stage.gateway, session);
    if (engine === 'postgres') beside = await startBeside(stage.gateway);
  });
  beforeEach(() => {
    faulty.before = () => null;
    faulty.after = () => null;
  });
  afterAll(async () => {
    await beside?.stop();
    await stage.gateway.stop();
  });

  /** The same person at every process. */
  const everywhere = (): AdminClient[] =>
    [stage.gateway, ...(beside === null ? [] : [beside])].map((server) => new AdminClient(server, session));

  async function newPerson(role: 'admin' | 'member'): Promise<{ email: string; session: string }> {
    const email = `${role}-${++people}@acme.test`;
    await stage.gateway.admin('members.add', { ...acme, email, role });
    return { email, session: await stage.session(email) };
  }

  const makeKey = (name: string) => stage.gateway.admin('keys.create', { ...acme, name, kind: 'shared' });

  interface Line {
    readonly action: string;
    readonly before: { readonly hint?: string } | null;
    readonly after: { readonly hint?: string } | null;
  }
  const linesOf = (subject: string): Promise<Line[]> =>
    stage.gateway.query<Line>(
      sql`select action, before, after from audit_log where subject = ${subject} order by id`,
    );

  test('rotations at the same time happen one after another, and the log shows each step', async () => {
    await makeKey('rotated');
    const [one, two = one] = everywhere() as [AdminClient, AdminClient?];
    const answers = await Promise.all(
      [one, two, one, two, one, two].map((client) =>
        client.call('keys.rotate', { ...acme, name: 'rotated' }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
    expect(new Set(answers.map(({ body }) => body.key)).size).toBe(6);
    const lines = await linesOf('rotated');
    expect(lines).toHaveLength(7);
    for (const [i, { before }] of lines.slice(1).entries()) expect(before?.hint).toBe(lines[i]?.after?.hint);
    const last = answers.find(({ body }) => body.key.slice(-4) === lines.at(-1)?.after?.hint?.slice(-4));
    await callWith(stage.gateway, last?.body.key);
  });

  test('a key that is revoked meanwhile is not changed any more', async () => {
    const names = ['a', 'b', 'c', 'd', 'e'].map((letter) => `revoked ${letter}`);
    for (const name of names) await makeKey(name);
    const [one, two = one] = everywhere() as [AdminClient, AdminClient?];
    await Promise.all(
      names.map(async (name) => {
        const [rotated, revoked, limited] = await Promise.all([
          one.call('keys.rotate', { ...acme, name }),
          two.call('keys.revoke', { ...acme, name }),
          one.call('keys.limit', { ...acme, name, month_limit: '1' }),
        ]);
        expect(revoked.status).toBe(200);
        for (const { status } of [rotated, limited]) expect([200, 404]).toContain(status);
        expect((await linesOf(name)).at(-1)?.action).toBe('keys.revoke');
      }),
    );
  });

  test('a role that is removed is gone with the next request', async () => {
    const { email, session: own } = await newPerson('admin');
    const client = new AdminClient(stage.gateway, own);
    const list = async () => (await client.call('members.list', acme)).status;
    expect(await list()).toBe(200);
    await stage.gateway.admin('members.role', { ...acme, email, role: 'member' });
    expect([await list(), (await client.call('keys.list', acme)).status]).toEqual([403, 200]);
    await stage.gateway.admin('members.add', { space: 'lab', email, role: 'member' });
    await stage.gateway.admin('members.remove', { ...acme, email });
    expect([await list(), (await client.call('keys.list', acme)).status]).toEqual([404, 404]);
    await stage.gateway.admin('members.remove', { space: 'lab', email });
    expect(await list()).toBe(401);
    await stage.gateway.admin('operators.add', { email, password: PASSWORD });
    const operator = new AdminClient(stage.gateway, await stage.session(email));
    expect((await operator.call('members.list', acme)).status).toBe(200);
    await stage.gateway.admin('operators.remove', { email });
    expect((await operator.call('members.list', acme)).status).toBe(401);
  });

  test.each<[string, (email: string) => Promise<unknown>, number]>([
    [
      'becomes a member',
      (email) => stage.gateway.admin('members.role', { ...acme, email, role: 'member' }),
      403,
    ],
    ['is removed', (email) => stage.gateway.admin('members.remove', { ...acme, email }), 401],
    [
      'gets another password',
      (email) => stage.gateway.admin('people.password', { email, password: PASSWORD }),
      401,
    ],
  ])('an administrator who %s while their request arrives changes nothing', async (_, remove, status) => {
    await makeKey(`slow ${people}`);
    const name = `slow ${people}`;
    const { email, session: own } = await newPerson('admin');
    const recognised = new Promise<void>((resolve) => {
      faulty.after = ({ text }) => {
        if (text.includes('from sessions s')) resolve();
        return null;
      };
    });
    const body = JSON.stringify({ month_limit: '5' });
    const path = `/api/console/spaces/acme/keys/${encodeURIComponent(name)}/limit`;
    const headers = {
      authorization: `Bearer ${own}`,
      'content-type': 'application/json',
      'content-length': body.length,
    };
    const sending = request(`${stage.gateway.url}${path}`, { method: 'PUT', headers });
    const answered = new Promise<number | undefined>((resolve, reject) => {
      sending.on('response', (reply) => resolve(reply.resume().statusCode)).on('error', reject);
    });
    sending.write(body.slice(0, 5));
    await recognised;
    await remove(email);
    sending.end(body.slice(5));
    expect(await answered).toBe(status);
    expect((await admin.call('keys.get', { ...acme, name })).body).toMatchObject({ month_limit: null });
  });

  test('while the database is away it answers 503, and works again afterwards', async () => {
    const away = new DatabaseUnavailable('away');
    const requests = () =>
      Promise.all([
        admin.call('keys.list', acme),
        admin.call('keys.create', { ...acme, name: 'away', kind: 'shared' }),
      ]);
    for (const spared of [/^$/, /from sessions s/, /from sessions s|from spaces|access_epoch/]) {
      faulty.before = ({ text }) => (spared.test(text) ? null : away);
      for (const { status, headers, body } of await requests()) {
        expect([status, body.type]).toEqual([503, 'service_unavailable']);
        expect(headers.get('retry-after')).toBe('1');
      }
    }
    faulty.before = () => null;
    expect((await requests()).map(({ status }) => status)).toEqual([200, 200]);
  });

  test('an answer that is lost with the commit is given to a repeat', async () => {
    let lost = 0;
    faulty.after = ({ text }) =>
      text === 'commit' && lost++ === 0 ? new DatabaseUnavailable('the answer is lost') : null;
    const create = () =>
      admin.call('keys.create', { ...acme, name: 'lost', kind: 'shared' }, { 'idempotency-key': 'lost' });
    expect((await create()).status).toBe(503);
    const again = await create();
    expect(again.status).toBe(200);
    await callWith(stage.gateway, again.body.key);
    expect(await linesOf('lost')).toHaveLength(1);
  });

  test('a change that is committed is answered, also if this process cannot apply it yet', async () => {
    faulty.before = ({ text }) =>
      text === 'select epoch from access_epoch' ? new DatabaseUnavailable('away') : null;
    const { status, body } = await admin.call('keys.create', { ...acme, name: 'unapplied', kind: 'shared' });
    expect(status).toBe(200);
    faulty.before = () => null;
    await callWith(stage.gateway, body.key);
  });

  test.runIf(engine === 'postgres')(
    'slow reads leave connections to calls, and too many of one person are rejected',
    async () => {
      const { gateway } = stage;
      const { key } = await makeKey('beside slow reads');
      const place = { url: gateway.databaseUrl, folder: gateway.folder, clock: systemClock };
      const other = await openDatabase(place);
      const locked = Promise.withResolvers<void>();
      const released = Promise.withResolvers<void>();
      const holding = other.transaction(async (tx) => {
        await tx.query(sql`lock table audit_log in access exclusive mode`);
        locked.resolve();
        await released.promise;
      });
      await locked.promise;
      const answered: number[] = [];
      const reads = Array.from({ length: 40 }, async () => {
        const { status } = await admin.call('audit.list', acme);
        answered.push(status);
        return status;
      });
      await expect.poll(async () => (await waitingFor('audit_log')).length).toBeGreaterThan(2);
      await callWith(gateway, key);
      // Three run and thirty wait. All have arrived when the others are rejected.
      await expect.poll(() => answered).toEqual(Array(7).fill(429));
      released.resolve();
      await holding;
      await other.close();
      const statuses = await Promise.all(reads);
      expect(statuses.filter((status) => status === 429)).toHaveLength(7);
      expect(statuses).toContain(200);
    },
  );

  const waitingFor = (table: string): Promise<object[]> =>
    stage.gateway.query(sql`select pid from pg_locks where relation = ${table}::regclass and not granted`);
});
