/** Whose pods a space can read: the ids of projects come from operators, and the gateway's own log is theirs alone. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/database/sql.ts';
import { AdminClient } from '../support/admin-client.ts';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { PodFiles } from '../support/pod-files.ts';

const PASSWORD = 'correct horse battery';
const SECRET_LINE = 'what only its own team may read';

describe.each(engines)('the ids of projects on %s', (engine) => {
  let gateway: TestGateway;
  /** Sessions: administrators of acme and of globex, and an operator. */
  const sessions = { ann: '', olaf: '', boss: '' };
  let ann: AdminClient;
  let olaf: AdminClient;
  let boss: AdminClient;

  beforeAll(async () => {
    gateway = await startGateway({ engine });
    await gateway.admin('spaces.create', { name: 'globex', overage: true });
    await gateway.admin('members.add', { space: 'acme', email: 'ann@example.com', role: 'admin' });
    await gateway.admin('members.add', { space: 'globex', email: 'olaf@example.com', role: 'admin' });
    await gateway.admin('operators.add', { email: 'boss@example.com', password: PASSWORD });
    for (const name of ['ann', 'olaf', 'boss'] as const)
      sessions[name] = await session(`${name}@example.com`);
    [ann, olaf, boss] = [sessions.ann, sessions.olaf, sessions.boss].map(
      (token) => new AdminClient(gateway, token),
    ) as [AdminClient, AdminClient, AdminClient];
    for (const project of ['payroll', 'unclaimed'])
      new PodFiles(`${gateway.folder}/logs`, { project, pod: 'web-1' }).write(SECRET_LINE);
  });
  afterAll(() => gateway.stop());

  async function session(email: string): Promise<string> {
    const { code } = await gateway.admin('people.link', { email });
    const reply = await fetch(`${gateway.url}/api/console/session/link`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code, keep: 'token' }),
    });
    return ((await reply.json()) as { token: string }).token;
  }

  const logOf = async (project: string, token: string): Promise<{ status: number; text: string }> => {
    const reply = await fetch(`${gateway.url}/api/projects/${project}/logs`, {
      headers: { authorization: `Bearer ${token}` },
    });
    return { status: reply.status, text: await reply.text() };
  };
  const add = (who: AdminClient, id: string, space = 'acme') => who.call('projects.add', { space, id });
  const give = (ids: string, space = 'acme') => boss.call('projectIds.give', { space, ids });
  const release = (ids: string, space = 'acme') => boss.call('projectIds.release', { space, ids });
  const idsOf = async (space: string): Promise<string[]> =>
    (await boss.call('projectIds.list', { space })).body.data.map(
      ({ ids, state }: { ids: string; state: string }) => `${ids} ${state}`,
    );
  const lastLine = async () => (await gateway.admin('audit.all', { limit: 1 })).data[0];

  test('an administrator adds no id that no operator gave their space, whether it exists or not', async () => {
    const answers = [];
    await gateway.admin('projects.add', { space: 'globex', id: 'payroll' });
    for (const id of ['unclaimed', 'payroll', 'nothing-of-this-name']) {
      const { status, body } = await add(ann, id);
      answers.push([status, body.type, body.error.param, (body.detail as string).replace(id, 'ID')]);
      expect((await logOf(id, sessions.ann)).status).toBe(404);
    }
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]?.slice(0, 3)).toEqual([403, 'permission_denied', 'id']);
    expect(answers[0]?.[3]).toContain('Ask an operator of the installation');
    expect((await logOf('payroll', sessions.olaf)).text).toContain(SECRET_LINE);
  });

  test('an operator claims an id for a space by adding the project', async () => {
    expect((await add(boss, 'unclaimed')).status).toBe(200);
    expect((await logOf('unclaimed', sessions.ann)).text).toContain(SECRET_LINE);
    const { status, body } = await add(boss, 'unclaimed', 'globex');
    expect([status, body.error.param]).toEqual([409, 'id']);
    expect(body.detail).toContain('belongs to acme');
  });

  test('an administrator adds projects within the ids and prefixes that their space was given', async () => {
    expect((await give('shop')).status).toBe(200);
    expect((await give('team-*')).body).toMatchObject({ ids: 'team-*', space: 'acme', state: 'given' });
    expect(await lastLine()).toMatchObject({
      ...{ actor: 'boss@example.com', action: 'projectIds.give', space: 'acme', subject: 'team-*' },
      after: { ids: 'team-*' },
    });
    for (const id of ['shop', 'team-web', 'team-web-2']) expect((await add(ann, id)).status).toBe(200);
    for (const id of ['team', 'team2', 'shop-2', 'sho', 'xteam-web'])
      expect([id, (await add(ann, id)).status]).toEqual([id, 403]);
    const { body } = await add(ann, 'shop-2');
    expect(body.detail).toContain('shop, team-*');
    const token = await ann.call('tokens.create', { space: 'acme', name: 'ci', access: 'write' });
    const program = new AdminClient(gateway, token.body.token);
    expect((await add(program, 'team-api')).status).toBe(200);
    expect((await add(program, 'kube-system')).status).toBe(403);
    expect(await idsOf('acme')).toEqual(
      expect.arrayContaining(['shop used', 'team-* given', 'team-web used', 'unclaimed used']),
    );
    expect((await ann.call('projectIds.list', { space: 'acme' })).status).toBe(200);
    expect((await ann.call('projectIds.give', { space: 'acme', ids: 'payroll' })).status).toBe(403);
    expect((await olaf.call('projectIds.list', { space: 'acme' })).status).toBe(404);
  });

  test.each(['', '*', '-*', '**', 'a*', 'a-*b', 'team*', 'Team-*', 'a/b', '..', `${'a'.repeat(62)}-*`])(
    'neither an id nor a prefix: %j',
    async (ids) => {
      const { status, body } = await boss.call('projectIds.give', { space: 'acme', ids });
      expect([status, body.type]).toEqual([400, 'invalid_parameter']);
    },
  );

  test('no two spaces have ids that overlap, however they are written', async () => {
    for (const ids of ['zone-*', 'zone-a-*', 'alone']) {
      expect((await give(ids)).status).toBe(200);
    }
    await add(boss, 'gx-1', 'globex');
    await boss.call('projects.remove', { space: 'globex', project: 'gx-1' });
    for (const [ids, of] of [
      ['zone-*', 'globex'],
      ['zone-a-*', 'globex'],
      ['zone-a-b-*', 'globex'],
      ['zone-web', 'globex'],
      ['alone', 'globex'],
      ['gx-*', 'acme'],
      ['gx-1', 'acme'],
    ] as const) {
      const { status, body } = await give(ids, of);
      expect([ids, status, body.error?.param]).toEqual([ids, 409, 'ids']);
    }
    expect((await add(boss, 'zone-x', 'globex')).status).toBe(409);
    expect((await give('zone-*')).status).toBe(409);
    const both = await Promise.all([give('race-*', 'acme'), give('race-x', 'globex')]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  });

  test('a removed id stays with its space, and goes to another only when an operator releases it', async () => {
    await give('kiosk');
    await add(ann, 'kiosk');
    const { body: build } = await ann.call('builds.start', { space: 'acme', project: 'kiosk' });
    expect((await release('kiosk')).body.detail).toContain('Remove the project first');
    await ann.call('projects.remove', { space: 'acme', project: 'kiosk' });
    expect(await idsOf('acme')).toContain('kiosk removed');
    expect((await logOf('kiosk', sessions.ann)).status).toBe(404);
    expect((await add(boss, 'kiosk', 'globex')).status).toBe(409);
    // The space may change its mind: nobody else read the pods meanwhile.
    expect((await add(ann, 'kiosk')).status).toBe(200);
    await ann.call('projects.remove', { space: 'acme', project: 'kiosk' });
    expect((await ann.call('projectIds.release', { space: 'acme', ids: 'kiosk' })).status).toBe(403);
    expect((await release('kiosk', 'globex')).status).toBe(404);
    const released = await release('kiosk');
    expect([released.status, released.body]).toEqual([200, { ids: 'kiosk', space: 'acme', released: true }]);
    expect(await lastLine()).toMatchObject({
      ...{ action: 'projectIds.release', subject: 'kiosk', before: { state: 'removed' } },
    });
    expect((await release('kiosk')).status).toBe(404);
    expect((await add(ann, 'kiosk')).status).toBe(403);
    expect((await add(boss, 'kiosk', 'globex')).status).toBe(200);
    // The builds of the first owner are not those of the next.
    expect((await olaf.call('builds.list', { space: 'globex', project: 'kiosk' })).body.data).toEqual([]);
    const log = await fetch(`${gateway.url}/api/builds/${build.id}/logs`, {
      headers: { authorization: `Bearer ${sessions.olaf}` },
    });
    expect(log.status).toBe(404);
  });

  test('a prefix that is released takes no project along', async () => {
    await give('area-*');
    await add(ann, 'area-1');
    expect((await release('area-*')).status).toBe(200);
    expect((await add(ann, 'area-2')).status).toBe(403);
    expect((await logOf('area-1', sessions.ann)).status).toBe(200);
    expect((await give('area-*', 'globex')).status).toBe(409);
  });

  test("the gateway's own log is read by operators, and no space gets it", async () => {
    for (const who of [ann, boss]) {
      const { status, body } = await add(who, 'gateway');
      expect([status, body.error.param]).toEqual([400, 'id']);
      expect(body.detail).toContain('only operators');
    }
    expect((await give('gateway')).status).toBe(400);
    // As an installation has it that gave it to a space before this was so.
    await gateway.query(sql`
      insert into projects (id, space_id, name, created_at)
      select 'gateway', id, 'gateway', now() from spaces where name = 'acme'`);
    const own = await logOf('gateway', sessions.boss);
    expect([own.status, own.text.includes('tollgate is listening')]).toEqual([200, true]);
    for (const token of [sessions.ann, sessions.olaf]) {
      const { status, text } = await logOf('gateway', token);
      expect([status, text.includes('tollgate is listening')]).toEqual([404, false]);
    }
    const { body: projects } = await ann.call('projects.list', { space: 'acme' });
    expect(projects.data.map(({ id }: { id: string }) => id)).not.toContain('gateway');
    expect((await ann.call('builds.start', { space: 'acme', project: 'gateway' })).status).toBe(404);
    expect(await idsOf('acme')).not.toContain('gateway used');
  });
});
