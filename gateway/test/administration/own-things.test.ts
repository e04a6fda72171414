/**
 * What a member must not see of a colleague or of a shared key, for each operation that members may use. No answer
 * shows a mark of somebody else; what belongs to them is not found; what is done for them is denied.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AdminEndpoint, changes as isChange } from '../../src/contract/administration/admin-endpoint.ts';
import {
  adminEndpoints,
  type OperationName,
  operationNames,
} from '../../src/contract/administration/admin-endpoints.ts';
import { acme, type Input, inputOf, OWN_BATCH, OWN_CALL, OWN_JOB } from '../support/admin-cases.ts';
import { type AdminAnswer, AdminClient } from '../support/admin-client.ts';
import {
  type AdminStage,
  addThings,
  callWith,
  startAdminStage,
  type Things,
} from '../support/admin-stage.ts';
import { readDigests } from '../support/database-state.ts';
import { engines } from '../support/engines.ts';

const ME = 'mia@acme.test';
const COLLEAGUE = 'carl@acme.test';
const ADMIN = 'ada@acme.test';

/** What an operation does with things of others. Left out: everybody in the space sees the same. */
interface Reach {
  /** The mark of the member's own things that the answer shows. */
  readonly shows?: (mine: Things) => string;
  /** Names a thing of somebody else: not found, exactly like one that does not exist. */
  readonly hides?: (theirs: Things) => Input;
  /** Inputs that only an administrator may send. */
  readonly denies?: readonly Input[];
}

const ofColleague = [{ ...acme, email: COLLEAGUE }];
const aKey = ({ key }: Things): Input => ({ ...acme, name: key });

const reaches: { readonly [Name in OperationName]?: Reach } = {
  'spaces.list': {},
  'spaces.get': {},
  'spaces.overview': {},
  'keys.list': { shows: ({ key }) => key, denies: ofColleague },
  'keys.get': { shows: ({ key }) => key, hides: aKey },
  'keys.rotate': { hides: aKey },
  'keys.revoke': { hides: aKey },
  'keys.disable': { hides: aKey },
  'keys.create': {
    denies: [
      { ...acme, name: 'new', kind: 'shared' },
      { ...acme, name: 'new', kind: 'management' },
      { ...acme, name: 'new', kind: 'shared', email: ME, creator: ME },
      { ...acme, name: 'new', kind: 'personal', email: COLLEAGUE },
      { ...acme, name: 'new', kind: 'personal', creator: COLLEAGUE },
      { ...acme, name: 'new', kind: 'personal', email: ME, creator: ADMIN },
    ],
  },
  'reports.usage': { shows: () => '"requests":1,' },
  'usage.days': { shows: () => '"requests":1,' },
  'usage.dimensions': {},
  'usage.keys': { shows: ({ key }) => key },
  'reports.balance': {},
  'requests.list': {
    shows: ({ call }) => call,
    hides: ({ key }) => ({ ...acme, key }),
    denies: ofColleague,
  },
  'requests.get': { shows: ({ call }) => call, hides: ({ call }) => ({ ...acme, request: call }) },
  why: { shows: ({ call }) => call, hides: ({ call }) => ({ ref: call }) },
  'batches.list': { shows: ({ batch }) => batch, denies: ofColleague },
  'batches.get': { shows: ({ batch }) => batch, hides: ({ batch }) => ({ ...acme, batch }) },
  'jobs.list': { shows: ({ job }) => job, denies: ofColleague },
  'jobs.get': { shows: ({ media }) => media, hides: ({ job }) => ({ ...acme, job }) },
  'media.list': { shows: ({ media }) => media, denies: ofColleague },
  'references.list': { shows: ({ reference }) => reference, denies: ofColleague },
  'budgets.ask': {},
  'budgetRequests.list': { shows: ({ asked }) => asked },
  'aliases.list': {},
  'projects.list': {},
  'builds.list': {},
  'models.list': {},
  'installation.version': {},
};

const forMembers = operationNames.filter((name) => adminEndpoints[name].right === 'member');

test('it is written down what a member sees of others, for every operation that members may use', () => {
  expect(Object.keys(reaches).sort(), 'Add or remove rows of `reaches` in this file.').toEqual(
    forMembers.toSorted(),
  );
});

describe.each(engines)('the things of others on %s', (engine) => {
  let stage: AdminStage;
  let me: AdminClient;
  let admin: AdminClient;
  let mine: Things;
  let others: Things[];
  /** Does not exist, in the form of things that do. */
  let nothing: Things;

  beforeAll(async () => {
    stage = await startAdminStage({ engine });
    const { gateway, known } = stage;
    await gateway.admin('members.add', { ...acme, email: ME, role: 'member' });
    await gateway.admin('members.add', { ...acme, email: COLLEAGUE, role: 'member' });
    await gateway.admin('members.add', { ...acme, email: ADMIN, role: 'admin' });
    mine = await addThings(gateway, 'mine', ME);
    others = [await addThings(gateway, 'carls', COLLEAGUE), await addThings(gateway, 'everybodys')];
    nothing = Object.fromEntries(
      Object.entries(mine).map(([name, id]) => [name, `${id.slice(0, -10)}${'0'.repeat(10)}`]),
    ) as unknown as Things;
    known.set(OWN_CALL, mine.call).set(OWN_BATCH, mine.batch).set(OWN_JOB, mine.job);
    me = new AdminClient(gateway, await stage.session(ME));
    admin = new AdminClient(gateway, await stage.session(ADMIN));
  });
  afterAll(() => stage.gateway.stop());

  const marks = (): string[] => [COLLEAGUE, ...others.flatMap((things) => Object.values(things))];

  const readsOfMembers = forMembers.filter((name) => !isChange(adminEndpoints[name]));

  const input = (name: OperationName): Input => stage.fill(inputOf(name, 'member'));

  test.each(readsOfMembers)('%s shows what is theirs and no mark of anybody else', async (name) => {
    const { csv }: AdminEndpoint = adminEndpoints[name];
    const answers = [await me.call(name, input(name)), ...(csv ? [await me.csv(name, input(name))] : [])];
    for (const { status, body } of answers) {
      expect(status, JSON.stringify(body)).toBe(200);
      const text = JSON.stringify(body);
      for (const mark of marks()) expect(text).not.toContain(mark);
    }
    const [{ body: shown }] = answers as [AdminAnswer];
    expect(JSON.stringify(shown)).toContain(reaches[name]?.shows?.(mine) ?? '');
  });

  const lists = readsOfMembers.filter((name) => reaches[name]?.denies);

  test.each(lists)('%s shows an administrator everything', async (name) => {
    const { shows } = reaches[name] as Required<Reach>;
    const text = JSON.stringify((await admin.call(name, acme)).body);
    for (const things of [mine, ...others]) expect(text).toContain(shows(things));
  });

  const hiding = forMembers.filter((name) => reaches[name]?.hides);

  test.each(hiding)('%s does not find things of others, as if they did not exist', async (name) => {
    const { hides } = reaches[name] as Required<Reach>;
    const before = await readDigests(stage.gateway);
    const missing = withoutMarks(await me.call(name, hides(nothing)), hides(nothing));
    expect(missing).toMatchObject({ status: 404 });
    for (const things of others)
      expect(withoutMarks(await me.call(name, hides(things)), hides(things))).toEqual(missing);
    expect(await readDigests(stage.gateway)).toEqual(before);
  });

  const denying = forMembers.flatMap((name) =>
    (reaches[name]?.denies ?? []).map((wanted) => [name, JSON.stringify(wanted), wanted] as const),
  );

  test.each(denying)('%s denies %s', async (name, _, wanted) => {
    const before = await readDigests(stage.gateway);
    const { status, body } = await me.call(name, wanted);
    expect([status, body.type]).toEqual([403, 'permission_denied']);
    expect(await readDigests(stage.gateway)).toEqual(before);
  });

  test('a member does with their own keys what they may, and nothing that lifts a limit', async () => {
    const { name } = { name: mine.key };
    await stage.gateway.admin('keys.limit', { ...acme, name, month_limit: '0.5' });
    await stage.gateway.admin('members.limit', { ...acme, email: ME, month_limit: '0.5' });
    const lifting: Array<[OperationName, Input]> = [
      ['keys.limit', { ...acme, name, month_limit: null }],
      ['keys.rate', { ...acme, name, requests_per_minute: null }],
      ['keys.models', { ...acme, name, models: null }],
      ['keys.expire', { ...acme, name, expires: '2999-01-01T00:00:00+09:00' }],
      ['keys.enable', { ...acme, name }],
      ['members.limit', { ...acme, email: ME, month_limit: null }],
      ['members.role', { ...acme, email: ME, role: 'admin' }],
      ['spaces.overage', { ...acme, allowed: true }],
    ];
    for (const [operation, wanted] of lifting)
      expect((await me.call(operation, wanted)).status, operation).toBe(403);
    const rotated = await me.call('keys.rotate', { ...acme, name, grace_hours: 0 });
    expect(rotated.status).toBe(200);
    expect((await me.call('keys.get', { ...acme, name })).body).toMatchObject({ month_limit: '0.5' });
    expect((await me.call('keys.disable', { ...acme, name })).body).toMatchObject({ disabled: true });
    await me.call('keys.rotate', { ...acme, name });
    expect((await me.call('keys.get', { ...acme, name })).body).toMatchObject({ disabled: true });
    expect((await me.call('keys.revoke', { ...acme, name })).status).toBe(200);
    expect((await me.call('keys.revoke', { ...acme, name })).status).toBe(404);
  });

  test('the requests of a revoked key are found by its id, which is that of the usage, by its owner alone', async () => {
    const made = await stage.gateway.admin('keys.create', {
      ...acme,
      name: 'short-lived',
      kind: 'personal',
      email: ME,
    });
    const request = await callWith(stage.gateway, made.key);
    await me.call('keys.revoke', { ...acme, name: 'short-lived' });
    const { rows } = (await me.call('reports.usage', { ...acme, by: 'key' })).body as {
      rows: Array<{ name: string; key_id: string }>;
    };
    const id = rows.find(({ name }) => name === 'short-lived')?.key_id as string;
    for (const client of [me, admin]) {
      const { status, body } = await client.call('requests.list', { ...acme, key_id: id });
      expect([status, body.data.map((row: { id: string }) => row.id)]).toEqual([200, [request]]);
    }
    const colleague = new AdminClient(stage.gateway, await stage.session(COLLEAGUE));
    const theirs: Input = { ...acme, key_id: id };
    const missing: Input = { ...acme, key_id: `${id.slice(0, -10)}${'0'.repeat(10)}` };
    const hidden = withoutMarks(await colleague.call('requests.list', theirs), theirs);
    expect(hidden).toMatchObject({ status: 404 });
    expect(hidden).toEqual(withoutMarks(await colleague.call('requests.list', missing), missing));
    const both = await me.call('requests.list', { ...acme, key: 'mine', key_id: id });
    expect([both.status, both.body.detail]).toEqual([400, 'Send key or key_id, not both.']);
  });
});

/** An answer without what it repeats of the request, and without its own id. */
function withoutMarks({ status, body }: AdminAnswer, named: Input): object {
  const words = [body.error_ref as string, ...(Object.values(named) as string[])];
  return { status, body: words.reduce((text, word) => text.replaceAll(word, 'X'), JSON.stringify(body)) };
}
