/** What the administration API accepts as a request, and how it says no: bodies, queries, paths, cookies. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AdminEndpoint, namesInPath } from '../../src/contract/administration/admin-endpoint.ts';
import { adminEndpoints, operationNames } from '../../src/contract/administration/admin-endpoints.ts';
import { acme, PASSWORD } from '../support/admin-cases.ts';
import { AdminClient } from '../support/admin-client.ts';
import { type AdminStage, startAdminStage } from '../support/admin-stage.ts';
import { ConsoleVisitor } from '../support/console-visitor.ts';
import { readDigests } from '../support/database-state.ts';
import { oneEngine } from '../support/engines.ts';

const ADMIN = 'ada@acme.test';
const IN_ACME = '/api/console/spaces/acme';

test('no operation takes a field in two places', () => {
  for (const name of operationNames) {
    const { path, query, request }: AdminEndpoint = adminEndpoints[name];
    const fields = [
      ...namesInPath(path),
      ...Object.keys(query?.properties ?? {}),
      ...Object.keys(request?.properties ?? {}),
    ];
    expect(fields, name).toEqual([...new Set(fields)]);
  }
});

describe.each(oneEngine('postgres', 'rejected requests'))('requests of administration on %s', (engine) => {
  let stage: AdminStage;
  let admin: AdminClient;

  beforeAll(async () => {
    stage = await startAdminStage({ engine });
    await stage.gateway.admin('members.add', { ...acme, email: ADMIN, role: 'admin' });
    admin = new AdminClient(stage.gateway, await stage.session(ADMIN));
  });
  afterAll(() => stage.gateway.stop());

  const invalid = (says: RegExp) => ({ status: 400, type: 'invalid_parameter', says });
  const unreadable = { status: 400, type: 'invalid_json', says: /./ };
  const otherType = { status: 415, type: 'unsupported_media_type', says: /./ };
  const typed = (type: string) => ({ headers: { 'content-type': type } });

  interface Bad {
    readonly body?: unknown;
    readonly query?: string;
    readonly headers?: Record<string, string>;
    readonly status: number;
    readonly type: string;
    readonly says: RegExp;
  }

  const badWrites: Record<string, Bad> = {
    'an unknown field': {
      body: { month_limit: '5', x: 1 },
      ...invalid(/^"x" is not a field of the body\. Its fields are month_limit\.$/),
    },
    'a field of the path': {
      body: { month_limit: '5', name: 'spare' },
      ...invalid(/^"name" is not a field of the body/),
    },
    'another space than in the path': {
      body: { month_limit: '5', space: 'lab' },
      ...invalid(/^"space" is not a field of the body/),
    },
    'a field with a name that objects have': { body: '{"month_limit": "5", "__proto__": {}}', ...unreadable },
    'an empty object': { body: {}, ...invalid(/^month_limit is required; it must be a decimal number/) },
    'no body': invalid(/^month_limit is required/),
    'a number for an amount': { body: { month_limit: 5 }, ...invalid(/^month_limit 5 is not valid/) },
    'an object for an amount': { body: { month_limit: {} }, ...invalid(/^month_limit \{\} is not valid/) },
    'a list': { body: '[]', ...unreadable },
    'half an object': { body: '{"month_limit": "5"', ...unreadable },
    'a field twice': { body: '{"month_limit": "5", "month_limit": null}', ...unreadable },
    'lists in lists': { body: `{"month_limit": ${'['.repeat(9)}${']'.repeat(9)}}`, ...unreadable },
    'a large body': {
      body: { month_limit: 'x'.repeat(70_000) },
      status: 413,
      type: 'request_too_large',
      says: /./,
    },
    'a form': { body: 'month_limit=5', ...typed('application/x-www-form-urlencoded'), ...otherType },
    text: { body: '{"month_limit":"5"}', ...typed('text/plain'), ...otherType },
    'a compressed body': {
      body: '{"month_limit":"5"}',
      headers: { 'content-encoding': 'gzip' },
      ...otherType,
    },
    'a field in the query': {
      query: '?month_limit=5',
      ...invalid(/^month_limit is not a known parameter; there are none\.$/),
    },
    'format=csv': {
      query: '?format=csv',
      body: { month_limit: '5' },
      ...invalid(/^format is not a known parameter/),
    },
  };

  test.each(Object.entries(badWrites))('%s is rejected, and changes nothing', async (_, bad) => {
    const { status, type, says, query = '', ...sent } = bad;
    const before = await readDigests(stage.gateway);
    const answer = await admin.send('PUT', `${IN_ACME}/keys/spare/limit${query}`, sent);
    expect([answer.status, answer.body.type]).toEqual([status, type]);
    expect(answer.body.detail).toMatch(says);
    expect(await readDigests(stage.gateway)).toEqual(before);
  });

  test.each<[string, RegExp]>([
    [
      'unknown=1',
      /^unknown is not a known parameter; the parameters are: kind, state, email, search, limit, cursor, format\.$/,
    ],
    ['limit=5&limit=6', /^limit must be sent once\.$/],
    ['limit=five', /^limit "five" is not valid: it must be a whole number from 1 to 1000/],
    ['limit=', /^limit "" is not valid/],
    ['limit=0', /^limit 0 is not valid/],
    ['limit=1001', /^limit 1001 is not valid/],
    ['limit=1e1', /^limit "1e1" is not valid/],
    ['limit=99999999999999999999', /^limit "99999999999999999999" is not valid/],
    ['kind=odd', /^kind "odd" is not valid: it must be one of personal, shared, management, gateway\.$/],
    ['email=kim', /^email "kim" is not valid: it must be an e-mail address\.$/],
    ['search=%00', /^search .* is not valid/],
    ['cursor=none', /cursor/],
    ['format=xml', /^format must be json or csv\.$/],
    ['format=csv&format=json', /^format must be sent once\.$/],
    ['space=lab', /^space is not a known parameter/],
    ['__proto__=1', /^__proto__ is not a known parameter/],
  ])('the query %s is rejected', async (query, says) => {
    const { status, body } = await admin.send('GET', `${IN_ACME}/keys?${query}`);
    expect([status, body.type, body.detail]).toEqual([400, 'invalid_parameter', expect.stringMatching(says)]);
  });

  test('a body may be left out where all its fields may, and {} is the same', async () => {
    const { status, body } = await admin.send('POST', `${IN_ACME}/keys/spare/rotate`);
    expect([status, body.name]).toEqual([200, 'spare']);
    expect((await admin.send('POST', `${IN_ACME}/keys/spare/rotate`, { body: {} })).status).toBe(200);
    expect((await admin.send('POST', `${IN_ACME}/keys/spare/disable`, { body: '{}' })).status).toBe(200);
    const stray = await admin.send('POST', `${IN_ACME}/keys/spare/enable`, { body: { name: 'spare' } });
    expect([stray.status, stray.body.detail]).toEqual([
      400,
      '"name" is not a field of the body. It takes no body.',
    ]);
    expect((await admin.send('POST', `${IN_ACME}/keys/spare/enable`)).status).toBe(200);
  });

  test('a space is found by its name or its id, and by nothing else', async () => {
    const { body: named } = await admin.call('spaces.get', acme);
    expect((await admin.call('spaces.get', { space: named.id })).body).toEqual(named);
    const created = await admin.call('keys.create', { space: named.id, name: 'by id', kind: 'shared' });
    expect(created).toMatchObject({ status: 200, body: { space: 'acme' } });
    const unknown = `${named.id.slice(0, -6)}000000`;
    expect((await admin.call('spaces.get', { space: unknown })).body).toMatchObject({
      type: 'not_found',
      detail: `There is no space ${unknown} that you can see.`,
    });
    for (const space of ['ACME', 'a_b', 'acme ', 'spc_1', '%00', '../acme'])
      expect((await admin.call('spaces.get', { space })).body.type, space).toBe('invalid_parameter');
  });

  test.each([
    'a/b',
    '/',
    '100%',
    '%2F',
    'a b',
    'a+b',
    'ключ 키 🔑',
    '?x=1&y#z',
    '{name}',
    '$&',
    '...',
    'a..b',
    '"quoted", \\ and so on',
  ])('a key named %j can be reached by its name', async (name) => {
    const key = { ...acme, name };
    expect((await admin.call('keys.create', { ...key, kind: 'shared' })).status).toBe(200);
    expect((await admin.call('keys.get', key)).body).toMatchObject({ name, state: 'active' });
    expect((await admin.call('keys.limit', { ...key, month_limit: '1' })).body).toMatchObject({ name });
    expect((await admin.call('keys.rotate', key)).body).toMatchObject({ name });
    expect((await admin.call('keys.revoke', key)).body).toEqual({ name, revoked: true });
    expect((await admin.call('keys.get', key)).status).toBe(404);
  });

  test.each(['.', '..'])('no key can be named %j, which clients remove from a path', async (name) => {
    const { status, body } = await admin.call('keys.create', { ...acme, name, kind: 'shared' });
    expect([status, body.detail]).toEqual([400, expect.stringMatching(/other than \. and \.\./)]);
  });

  test('a path that cannot be decoded is no path', async () => {
    for (const name of ['%', '%zz', '%ff'])
      expect((await admin.send('GET', `${IN_ACME}/keys/${name}`)).status, name).toBe(404);
    expect((await admin.send('GET', `${IN_ACME}/keys/a%00b`)).body.type).toBe('invalid_parameter');
    expect((await admin.send('PATCH', `${IN_ACME}/keys/spare`)).headers.get('allow')).toBe('GET, DELETE');
  });

  test('a write with the cookie needs the CSRF token and the own site; a read and a bearer do not', async () => {
    const email = 'browser@acme.test';
    await stage.gateway.admin('members.add', { ...acme, email, role: 'admin' });
    await stage.gateway.admin('people.password', { email, password: PASSWORD });
    const visitor = new ConsoleVisitor(stage.gateway.url, '');
    const { cookie, csrf, token } = await visitor.enter(email, PASSWORD);
    const write = (headers: Record<string, string>) =>
      visitor.send('PUT', `${IN_ACME}/keys/spare/limit`, { body: { month_limit: '5' }, headers });
    const before = await readDigests(stage.gateway);
    const own = { cookie, 'x-csrf-token': csrf };
    for (const headers of [
      { cookie },
      { cookie, 'x-csrf-token': 'guess' },
      { ...own, origin: 'https://evil.test' },
      { ...own, 'sec-fetch-site': 'cross-site' },
    ])
      expect(await write(headers)).toMatchObject({ status: 403, body: { type: 'csrf_failed' } });
    expect(await readDigests(stage.gateway)).toEqual(before);
    expect((await write(own)).status).toBe(200);
    expect((await write({ authorization: `Bearer ${token}` })).status).toBe(200);
    expect((await visitor.send('GET', `${IN_ACME}/keys`, { headers: { cookie } })).status).toBe(200);
  });

  test('a rejected password is repeated nowhere: not in the answer, the log or the database', async () => {
    await stage.gateway.admin('operators.add', { email: 'olga@tollgate.test', password: PASSWORD });
    const operator = new AdminClient(stage.gateway, await stage.session('olga@tollgate.test'));
    const password = `wrong${'p'.repeat(300)}`;
    const { status, body } = await operator.call('people.password', { email: 'kim@acme.test', password });
    expect([status, body.detail]).toEqual([400, 'password is not valid: it must be 10 to 200 characters.']);
    expect(stage.gateway.logged.join('\n')).not.toContain('wrongppp');
  });
});
