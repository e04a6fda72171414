/** `tollgate plan` and `tollgate apply`: administration by a file, over every way there is. */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assert, asyncProperty, constant, constantFrom, option, record } from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { Administration } from '../../src/cli/admin/administration.ts';
import { applyChanges } from '../../src/cli/admin/plan/apply-changes.ts';
import type { Plan } from '../../src/cli/admin/plan/change.ts';
import { readCurrentState } from '../../src/cli/admin/plan/current-state.ts';
import { exampleFile } from '../../src/cli/admin/plan/example-file.ts';
import { planChanges } from '../../src/cli/admin/plan/plan-changes.ts';
import { readStateFile } from '../../src/cli/admin/plan/read-state-file.ts';
import { systemClock } from '../../src/kernel/time.ts';
import { ConsoleVisitor } from '../support/console-visitor.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { runCli } from '../support/run-cli.ts';

const PASSWORD = 'correct horse battery';

let gateway: TestGateway;
let folder: string;
let token: string;
beforeAll(async () => {
  gateway = await startGateway();
  folder = mkdtempSync(join(tmpdir(), 'tollgate-test-plan-'));
  await gateway.admin('operators.add', { email: 'ops@example.com', password: PASSWORD });
  const body = { email: 'ops@example.com', password: PASSWORD, keep: 'token' };
  token = (await new ConsoleVisitor(gateway.url, '').send('POST', '/api/console/session', { body })).body
    .token;
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await gateway.stop();
});

const overHttp = (...args: string[]) =>
  runCli(args, {
    cwd: folder,
    env: { TOLLGATE_URL: gateway.url, TOLLGATE_SESSION: token, XDG_CONFIG_HOME: folder },
  });
const onSocket = (...args: string[]) =>
  runCli([...args, '--data', gateway.folder, '--config', gateway.configFile], { cwd: folder });

function write(name: string, text: string): void {
  writeFileSync(join(folder, name), text);
}

async function changesMade(): Promise<number> {
  return (await gateway.admin('audit.all', { limit: 1000 })).data.length;
}

test('the example is planned, applied over HTTP, and then there is nothing to change', async () => {
  const example = await onSocket('plan', '--example');
  expect(example.stdout).toBe(exampleFile);
  write('state.yaml', exampleFile.replace('  acme:', '  shop-team:'));
  const planned = await overHttp('plan', '-f', 'state.yaml', '--exit-code');
  expect(planned.code).toBe(2);
  expect(planned.stdout).toContain(
    '+ key shop-team/ci\n    kind: shared\n    days: 90\n    month_limit: 250\n',
  );
  expect(planned.stdout).toContain('14 to create, 0 to update, 0 to remove.');

  const applied = await overHttp('apply', '-f', 'state.yaml', '--secrets', 'keys.jsonl');
  expect([applied.code, applied.stderr]).toEqual([0, '']);
  expect(applied.stdout).toContain('+ project shop-team/shop\n    name: The shop\n\n14 changes applied.');
  expect(applied.stdout).not.toMatch(/[sm]k_/);
  expect(statSync(join(folder, 'keys.jsonl')).mode & 0o777).toBe(0o600);
  const secrets = readFileSync(join(folder, 'keys.jsonl'), 'utf8').trimEnd().split('\n');
  expect(secrets.map((line) => JSON.parse(line))).toEqual([
    { space: 'shop-team', name: 'ci', key: expect.stringMatching(/^sk_/) },
    { space: 'shop-team', name: 'lee-laptop', key: expect.stringMatching(/^sk_/) },
    { space: 'shop-team', name: 'reports', key: expect.stringMatching(/^mk_/) },
  ]);

  const before = await changesMade();
  expect(await overHttp('plan', '-f', 'state.yaml', '--exit-code')).toMatchObject({ code: 0 });
  expect((await onSocket('apply', '-f', 'state.yaml')).stdout).toBe('Nothing to change.\n');
  expect(await changesMade()).toBe(before);
  const { data } = await gateway.admin('grants.list', { space: 'shop-team' });
  expect(data.map(({ amount, note }) => [amount, note]).toSorted()).toEqual([
    ['1000', 'Invoice 17 [ref: 2026-q4]'],
    ['5', '[ref: welcome]'],
  ]);
});

test('what differs is shown before and after, and what the file does not name stays', async () => {
  await gateway.admin('members.add', { space: 'acme', email: 'extra@example.com', role: 'member' });
  write(
    'acme.yaml',
    'spaces:\n  acme:\n    overage: off\n    members:\n      kim@example.com: { role: admin }\n',
  );
  const { stdout, stderr } = await onSocket('plan', '-f', 'acme.yaml');
  expect(stderr).toBe('');
  expect(stdout).toContain(
    '~ space acme\n    overage: yes → no\n+ member acme/kim@example.com\n    role: admin\n',
  );
  expect(stdout).toContain(
    'Different from the file, and left as it is:\n  member acme/extra@example.com: not in the file\n',
  );
  const json = JSON.parse((await onSocket('plan', '-f', 'acme.yaml', '--json')).stdout);
  expect(json.changes[0]).toEqual({
    action: 'update',
    subject: 'space',
    space: 'acme',
    name: 'acme',
    fields: [{ field: 'overage', before: true, after: false }],
  });
  expect(json.drift).toContainEqual({
    subject: 'member',
    space: 'acme',
    name: 'extra@example.com',
    why: 'not in the file',
  });
});

test('a file with mistakes names their lines, and nothing is changed', async () => {
  write(
    'bad.yaml',
    'spaces:\n  fresh:\n    keys:\n      ci: { kind: persnal }\n      lees: { owner: lee@example.com }\n',
  );
  const before = await changesMade();
  const ran = await onSocket('apply', '-f', 'bad.yaml');
  expect(ran).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'tollgate: bad.yaml cannot be applied; nothing was changed.\n' +
      '  bad.yaml:4 spaces.fresh.keys.ci.kind "persnal" is not valid: it must be one of personal, shared, management.\n',
  });
  write('bad.yaml', 'spaces:\n  fresh:\n    keys:\n      lees: { owner: lee@example.com }\n');
  expect((await onSocket('plan', '-f', 'bad.yaml', '--exit-code')).stderr).toContain(
    'bad.yaml:4 spaces.fresh.keys.lees.owner lee@example.com is not a member. Add them under members.',
  );
  expect(await changesMade()).toBe(before);
  for (const args of [['plan'], ['plan', '--exit-code'], ['plan', '-f', 'none.yaml']]) {
    const { code, stderr } = await onSocket(...args);
    expect([args, code]).toEqual([args, args.length === 1 ? 2 : 1]);
    expect(stderr).toMatch(/Name the file with -f FILE|There is no file none\.yaml/);
  }
});

test('a change that fails is reported with what was done and what was not; the next apply continues', async () => {
  const text = (model: string) => `
spaces:
  midway:
    keys:
      one: { days: 7 }
      two: { month_limit: 3, models: [${model}] }
    grants: { start: { amount: 7 } }
`;
  write('midway.yaml', text('sim-caht'));
  const ran = await onSocket('apply', '-f', 'midway.yaml');
  expect(ran.code).toBe(1);
  expect(ran.stdout).toMatch(/^secret of key midway\/one: sk_\w+$/m);
  expect(ran.stdout).toMatch(/^secret of key midway\/two: sk_\w+$/m);
  expect(ran.stdout).toContain(
    'failed: key midway/two (2 of 3 steps were done)\nnot done: grant midway/start\n',
  );
  expect(ran.stderr).toMatch(
    /^tollgate: The key midway\/two could not be created: There is no model sim-caht in midway\. Did you mean sim-chat\?/,
  );
  write('midway.yaml', text('sim-chat'));
  const again = JSON.parse((await onSocket('apply', '-f', 'midway.yaml', '--json')).stdout);
  expect(again).toMatchObject({
    done: [
      { action: 'update', name: 'two', fields: [{ field: 'models', before: null, after: ['sim-chat'] }] },
      { action: 'create', subject: 'grant', name: 'start' },
    ],
    failed: null,
    not_done: [],
    secrets: [],
  });
  expect((await onSocket('plan', '-f', 'midway.yaml')).stdout).toContain('Nothing to change.');
});

describe('random files', () => {
  const administration: Administration = {
    server: null,
    run: (name, input) => gateway.admin(name as 'status', input as never) as never,
    close: () => Promise.resolve(),
  };

  async function planOf(text: string): Promise<Plan> {
    const { content, reject } = readStateFile('random.yaml', text);
    const plan = planChanges(content, await readCurrentState(administration, content), systemClock.now());
    reject(plan.mistakes);
    return plan;
  }

  const maybe = <T>(...values: T[]) => option(constantFrom(...values), { nil: undefined });
  const limit = maybe('none', '5', '2.50', '0.000000000001');
  const rates = {
    requests_per_minute: maybe<unknown>('none', 60),
    tokens_per_minute: maybe<unknown>('none', 1000),
  };
  const rules = {
    month_limit: limit,
    ...rates,
    models: maybe<unknown>('all', ['sim-chat'], ['sim-text-only', 'sim-chat']),
    disabled: maybe(true, false),
    expires: maybe('2990-01-01', '2991-06-30T12:00:00Z'),
  };
  const absent = constantFrom('present', 'absent');
  const member = record({
    state: absent,
    role: maybe('admin', 'member'),
    nickname: maybe('A', '김'),
    month_limit: limit,
  });
  const key = record({ state: absent, days: maybe(1, 90), ...rules });
  const files = record({
    overage: maybe(true, false),
    keep_responses: maybe(true, false),
    blocked: maybe(true, false),
    ...rates,
    members: record({ 'a@example.com': member, 'b@example.com': member }),
    keys: record({ shared: key, report: key, personal: key }),
    grants: option(
      constant({ q1: { amount: 3 }, q2: { amount: '0.5', kind: 'promo', expires: '2999-01-01' } }),
      {
        nil: undefined,
      },
    ),
    aliases: record({
      fast: record({ state: absent, model: constantFrom('sim-chat', 'sim-text-only') }),
      best: record({ state: absent, model: constant('sim-chat') }),
    }),
    projects: record({
      site: record({ name: maybe('site one', 'site two') }),
      app: record({ name: maybe('app') }),
    }),
  });

  test('one apply makes any file true, whatever was there before, and then nothing is left to change', async () => {
    await assert(
      asyncProperty(files, async ({ members, keys, ...settings }) => {
        // The kind of a key cannot change, and a personal key needs its owner.
        const owner = 'a@example.com';
        const hasOwner = members[owner].state === 'present';
        const file = {
          ...settings,
          members,
          keys: {
            shared: { ...keys.shared, kind: 'shared' },
            report: { ...keys.report, kind: 'management' },
            personal: { ...keys.personal, kind: 'personal', owner, ...(!hasOwner && { state: 'absent' }) },
          },
        };
        const text = stringify({ spaces: { random: JSON.parse(JSON.stringify(file)) } });
        const { changes } = await planOf(text);
        const applied = await applyChanges(administration, changes, {
          onDone: () => undefined,
          onSecret: () => undefined,
          onLost: () => undefined,
        });
        expect(applied.failed).toBe(null);
        expect((await planOf(text)).changes).toEqual([]);
      }),
      { numRuns: 15 },
    );
    const { data } = await gateway.admin('grants.list', { space: 'random' });
    expect(data.length).toBeLessThanOrEqual(2);
  });
});
