/** Whose workloads a space can claim: subjects come from operators, and no two spaces have the same. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AdminClient } from '../support/admin-client.ts';
import { changeConfig, testConfig } from '../support/config.ts';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

const NAMESPACE = 'system:serviceaccount:team-a';

describe.each(engines)('the subjects of workloads on %s', (engine) => {
  let gateway: TestGateway;
  /** Administrators of acme and of globex, and an operator. */
  let ann: AdminClient;
  let olaf: AdminClient;
  let boss: AdminClient;

  beforeAll(async () => {
    const names = ['cluster', 'cluster-2'];
    const issuers = names.map((name) => ({ name, issuer: 'https://cluster.invalid', audience: 'tollgate' }));
    const config = changeConfig(testConfig(), { workload_identity: { issuers } });
    gateway = await startGateway({ engine, config });
    await gateway.admin('spaces.create', { name: 'globex', overage: true });
    for (const space of ['acme', 'globex'])
      for (const name of ['api', 'worker'])
        await gateway.admin('keys.create', { space, name, kind: 'shared' });
    await gateway.admin('members.add', { space: 'acme', email: 'ann@example.com', role: 'admin' });
    await gateway.admin('members.add', { space: 'globex', email: 'olaf@example.com', role: 'admin' });
    await gateway.admin('operators.add', { email: 'boss@example.com', password: 'correct horse battery' });
    [ann, olaf, boss] = (await Promise.all(['ann', 'olaf', 'boss'].map(signedIn))) as [
      AdminClient,
      AdminClient,
      AdminClient,
    ];
  });
  afterAll(() => gateway.stop());

  async function signedIn(name: string): Promise<AdminClient> {
    const { code } = await gateway.admin('people.link', { email: `${name}@example.com` });
    const reply = await fetch(`${gateway.url}/api/console/session/link`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code, keep: 'token' }),
    });
    return new AdminClient(gateway, ((await reply.json()) as { token: string }).token);
  }

  const add = (who: AdminClient, subject: string, more: object = {}) =>
    who.call('workloads.add', { space: 'acme', key: 'api', issuer: 'cluster', subject, ...more });
  const give = (subjects: string, more: object = {}) =>
    boss.call('workloadSubjects.give', { space: 'acme', issuer: 'cluster', subjects, ...more });

  test('an administrator adds rules only for what an operator gave the space, and gets the same error for everything else', async () => {
    expect((await add(boss, `${NAMESPACE}-globex:api`, { space: 'globex' })).status).toBe(200);
    const answers = [];
    for (const subject of [`${NAMESPACE}-globex:api`, `${NAMESPACE}:api`, 'repo:*']) {
      const { status, body } = await add(ann, subject);
      answers.push(JSON.stringify([status, body.type, body.detail.replace(subject, 'SUBJECT')]));
    }
    expect(new Set(answers)).toEqual(
      new Set([expect.stringMatching(/^\[403,"permission_denied".*Ask an operator/)]),
    );
    expect((await give(`${NAMESPACE}:*`)).status).toBe(200);
    expect((await add(ann, `${NAMESPACE}:api`)).status).toBe(200);
    expect((await add(ann, `${NAMESPACE}:*`, { key: 'worker' })).status).toBe(200);
    for (const subject of [`${NAMESPACE}b:api`, `system:serviceaccount:*`, NAMESPACE])
      expect([subject, (await add(ann, subject)).status]).toEqual([subject, 403]);
    // Given at one issuer is not given at another.
    expect((await add(ann, `${NAMESPACE}:api`, { issuer: 'cluster-2' })).status).toBe(403);
    expect(
      (await ann.call('workloadSubjects.give', { space: 'acme', issuer: 'cluster', subjects: 'repo:*' }))
        .status,
    ).toBe(403);
    expect((await olaf.call('workloads.list', { space: 'acme' })).status).toBe(404);
  });

  test('no two spaces have subjects that overlap, in whichever order they ask', async () => {
    await give('repo:acme/*');
    await add(boss, 'project_path:shop/api:ref:main');
    for (const [subject, status] of [
      ['repo:acme/*', 409],
      ['repo:acme/shop:*', 409],
      ['repo:acme/shop:ref:main', 409],
      ['repo:*', 409],
      ['project_path:shop/*', 409],
      ['project_path:shop/api:ref:main', 409],
      ['repo:acme2/*', 200],
    ] as const) {
      expect([subject, (await give(subject, { space: 'globex' })).status]).toEqual([subject, status]);
      if (status === 409)
        expect((await add(boss, subject, { space: 'globex' })).body.detail).toContain('belongs to acme');
    }
    expect((await give('repo:acme/*', { space: 'globex', issuer: 'cluster-2' })).status).toBe(200);
    const race = await Promise.all([give('race:*'), give('race:a:*', { space: 'globex' })]);
    expect(race.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  });

  test('a rule needs a shared or management key, a known issuer, and is there once', async () => {
    await give('once:*');
    const personal = { name: 'of ann', kind: 'personal' as const, email: 'ann@example.com' };
    await gateway.admin('keys.create', { space: 'acme', ...personal });
    await gateway.admin('keys.create', { space: 'acme', name: 'reports', kind: 'management' });
    expect((await add(ann, 'once:a', { key: 'of ann' })).body.error.param).toBe('key');
    expect((await add(ann, 'once:a', { issuer: 'clustre' })).body.detail).toContain('Use cluster.');
    expect((await add(ann, 'once:a', { key: 'nobody' })).status).toBe(404);
    expect((await add(ann, 'once:a')).status).toBe(200);
    expect((await add(ann, 'once:a', { key: 'worker' })).status).toBe(409);
    expect((await add(ann, 'once:a', { key: 'worker', claims: ['ref=main'] })).status).toBe(200);
    expect((await add(ann, 'once:a', { key: 'reports' })).status).toBe(200);
    for (const claims of [['ref'], ['=main'], ['ref='], ['ref=a*b'], ['ref=a', 'ref=b']])
      expect([claims, (await add(ann, 'once:b', { claims })).status]).toEqual([claims, 400]);
  });

  test.each(['', '*', 'a*', 'a:*b', 'a:**', '*:a', 'a b', 'team-*', `${'x'.repeat(501)}`])(
    'not a subject: %j',
    async (subject) => {
      expect((await add(boss, subject)).status).toBe(400);
      expect((await give(subject)).status).toBe(400);
    },
  );

  test('subjects are released when no rule uses them, and then another space may have them', async () => {
    const { body: given } = await give('kiosk:*');
    const { body: rule } = await add(ann, 'kiosk:api');
    const release = () => boss.call('workloadSubjects.release', { space: 'acme', subjects: given.id });
    expect((await release()).body.detail).toContain(rule.id);
    expect((await give('kiosk:*', { space: 'globex' })).status).toBe(409);
    expect((await olaf.call('workloads.remove', { space: 'globex', workload: rule.id })).status).toBe(404);
    expect((await ann.call('workloads.remove', { space: 'acme', workload: rule.id })).body.removed).toBe(
      true,
    );
    expect((await release()).body).toMatchObject({ subjects: 'kiosk:*', released: true });
    expect((await add(ann, 'kiosk:api')).status).toBe(403);
    expect((await give('kiosk:*', { space: 'globex' })).status).toBe(200);
  });

  test('a revoked key gives its subjects back', async () => {
    await gateway.admin('keys.create', { space: 'acme', name: 'short', kind: 'shared' });
    expect((await add(boss, 'short:api', { key: 'short' })).status).toBe(200);
    expect((await add(boss, 'short:api', { space: 'globex' })).status).toBe(409);
    await gateway.admin('keys.revoke', { space: 'acme', name: 'short' });
    expect((await add(boss, 'short:api', { space: 'globex' })).status).toBe(200);
  });

  test('changes are in the audit log', async () => {
    const { data } = await gateway.admin('audit.list', { space: 'acme', action: 'workloads', limit: 1_000 });
    expect(data.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['workloads.add', 'workloads.remove']),
    );
  });
});
