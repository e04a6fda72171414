/** The commands as people and scripts use them, with and without a running server. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serve } from '../../src/app/serve.ts';
import { CommandProcess } from '../support/command-process.ts';
import { engines, makePlace, oneEngine } from '../support/engines.ts';
import { administerAt, startGateway, type TestGateway } from '../support/gateway.ts';
import { EMBEDDED_FLAGS } from '../support/node-flags.ts';
import { SOURCE_PROGRAM } from '../support/program.ts';
import { runCli } from '../support/run-cli.ts';

describe.each(engines)('without a server on %s', (engine) => {
  test('administration works', async () => {
    const place = await makePlace(engine);
    const env = {
      TOLLGATE_DATA: place.folder,
      ...(place.databaseUrl !== null && { DATABASE_URL: place.databaseUrl }),
    };
    const nodeFlags = engine === 'embedded' ? EMBEDDED_FLAGS : [];
    const run = (...args: string[]) => runCli(args, { env, cwd: place.folder, nodeFlags });
    expect(await run('spaces', 'create', 'acme')).toMatchObject({ code: 0, stderr: '' });
    const twice = await run('spaces', 'create', 'acme');
    expect(twice).toEqual({ code: 1, stdout: '', stderr: 'tollgate: There is already a space acme.\n' });
    const { stdout } = await run('keys', 'create', 'first', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      space: 'acme',
      key: expect.stringMatching(/^sk_[0-9A-Za-z]{46}$/),
    });
    await place.remove();
  });
});

test('in the demo a command without --space means the space demo, and status shows its keys', async () => {
  const place = await makePlace('embedded');
  const env = { PORT: '0', OPS_PORT: '0', LOG_LEVEL: 'silent', TOLLGATE_DEMO_DATA: 'none' };
  const server = await serve({ data: place.folder }, env, { say: () => undefined });
  const admin = administerAt(place.folder);
  await admin('spaces.create', { name: 'research' });
  const run = (...args: string[]) =>
    runCli(args, { env: { TOLLGATE_DATA: place.folder }, cwd: place.folder });
  expect(JSON.parse((await run('keys', 'create', 'laptop', '--json')).stdout)).toMatchObject({
    space: 'demo',
  });
  expect((await run('status')).stdout).toMatch(
    /Gateway key +sk_…\w{4} and 1 more[\s\S]*Management key +mk_…\w{4}\n/,
  );
  await server.stop();
  await place.remove();
});

describe.each(oneEngine('embedded', 'command line'))('with a server running on %s', (engine) => {
  const commands = new CommandProcess();
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway({ engine });
  });
  afterAll(async () => {
    await commands.stop();
    await gateway.stop();
  });

  const run = (...args: string[]) =>
    commands.run([...args, '--data', gateway.folder, '--config', gateway.configFile]);
  const json = async (...args: string[]) => {
    const ran = await run(...args, '--json');
    if (ran.code !== 0) throw new Error(ran.stderr);
    return JSON.parse(ran.stdout);
  };

  test('starts fast: the only library it loads is the one that parses arguments', async () => {
    const tell = `import { registerHooks } from 'node:module';
      const load = (url, context, next) => (process.stderr.write(url + '\\n'), next(url, context));
      registerHooks({ load });`;
    const env = { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(tell)}` };
    const args = ['keys', 'list', '--data', gateway.folder, '--config', gateway.configFile];
    const { code, stderr } = await runCli(args, { env, path: SOURCE_PROGRAM });
    const packages = stderr.matchAll(/node_modules\/((?:@[^/\n]+\/)?[^/\n]+)\//g);
    expect([code, [...new Set([...packages].map(([, name]) => name))]]).toEqual([0, ['commander']]);
  });

  test('creates spaces, members, keys and grants, and lists them', async () => {
    const at = ['--space', 'lab'];
    await json('spaces', 'create', 'lab', '--overage');
    expect((await run('keys', 'list', ...at)).stdout).toContain('No keys yet');
    await json('members', 'add', 'kim@example.com', '--role', 'admin', ...at);
    const personal = ['--kind', 'personal', '--email', 'kim@example.com', '--days', '7'];
    const made = await json('keys', 'create', 'laptop', ...personal, ...at);
    await json('keys', 'create', 'reports', '--kind', 'management', ...at);
    await json('grants', 'add', '12.000000000001', '--kind', 'promo', '--expires', '2999-01-01', ...at);
    await json('grants', 'add', '5', '--note', 'invoice 1', ...at);
    expect(await json('members', 'list', ...at)).toMatchObject([
      { email: 'kim@example.com', nickname: 'kim', role: 'admin' },
    ]);
    expect(await json('keys', 'list', ...at)).toMatchObject([
      { name: 'laptop', kind: 'personal', owner: 'kim@example.com', hint: `sk_…${made.key.slice(-4)}` },
      { name: 'reports', kind: 'management' },
    ]);
    expect(await json('grants', 'list', ...at)).toMatchObject([
      { kind: 'paid', note: 'invoice 1' },
      { kind: 'promo' },
    ]);
    expect(await json('spaces', 'list')).toMatchObject([
      { name: 'acme' },
      { name: 'lab', held: '17.000000000001', overage_allowed: true },
    ]);
    expect((await run('spaces', 'overage', 'lab', 'off')).stdout).toMatch(/overage_allowed +no/);
    expect((await run('keys', 'list', ...at)).stdout).not.toContain(made.key);
  });

  test('a change takes effect at once', async () => {
    const { key } = await json('keys', 'create', 'second', '--space', 'acme');
    const hello = { model: 'sim-chat', messages: [{ role: 'user', content: 'hi' }] };
    const asSecond = { authorization: `Bearer ${key}` };
    expect((await gateway.chat(hello, asSecond)).status).toBe(200);
    expect((await run('keys', 'revoke', 'second', '--space', 'acme')).code).toBe(0);
    expect((await gateway.chat(hello, asSecond)).status).toBe(401);
  });

  test('status shows the addresses, with keys masked; doctor finds no fault', async () => {
    const { stdout, code } = await run('status');
    expect(code).toBe(0);
    expect(stdout).toContain(`${gateway.url.replace('127.0.0.1', 'localhost')}/v1`);
    expect(stdout).not.toContain(gateway.key);
    expect(await json('status')).toMatchObject({ state: 'running', engine });
    const doctor = await run('doctor');
    expect(doctor.stdout).not.toContain('ERROR');
    expect(doctor.stdout).toMatch(/server +running/);
    expect(doctor.code).toBe(0);
  });
});

describe('a command that cannot be carried out', () => {
  const commands = new CommandProcess();
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway();
  });
  afterAll(async () => {
    await commands.stop();
    await gateway.stop();
  });

  test.each([
    ['a space twice', ['spaces', 'create', 'acme'], 1, /already a space acme/],
    ['an invalid name', ['spaces', 'create', 'A b'], 1, /name "A b" is not valid/],
    ['an unknown space', ['keys', 'list', '--space', 'nope'], 1, /no space nope .*"tollgate spaces list"/],
    [
      'a personal key for someone who is not a member',
      ['keys', 'create', 'x', '--kind', 'personal', '--email', 'a@b.c'],
      1,
      /not a member of acme\. "tollgate members list" shows them\.\n$/,
    ],
    ['an invalid amount', ['grants', 'add', 'much'], 1, /must be a decimal number above 0/],
    ['a past expiry', ['grants', 'add', '1', '--kind', 'promo', '--expires', '2001-01-01'], 1, /in the past/],
    ['a paid grant with an expiry', ['grants', 'add', '1', '--expires', '2999-01-01'], 1, /do not expire/],
    [
      'an unknown key',
      ['keys', 'revoke', 'ghost'],
      1,
      /no key ghost in acme\. "tollgate keys list" shows them\.\n$/,
    ],
    ['a value that is no number', ['keys', 'create', 'x', '--days', 'many'], 2, /--days "many" is not valid/],
    ['an unknown command', ['keyz'], 2, /unknown command 'keyz'/],
    ['a missing argument', ['keys', 'create'], 2, /missing required argument 'name'/],
  ])('(%s) ends with a sentence and an exit code', async (_, args, code, message) => {
    const ran = await commands.run([
      ...(args as string[]),
      '--data',
      gateway.folder,
      '--config',
      gateway.configFile,
    ]);
    expect(ran.stderr).toMatch(message as RegExp);
    expect(ran.code).toBe(code);
    expect(ran.stdout).toBe('');
  });
});

test.each([
  [['keyz'], 2, 'wrong_usage', "unknown command 'keyz'"],
  [['keys'], 2, 'wrong_usage', 'A command is missing.'],
  [['keys', 'create', 'x', '--days', 'many'], 2, 'wrong_usage', '--days "many" is not valid'],
  [['config', 'check', 'none.yaml'], 1, 'failed', 'none.yaml does not exist'],
  [['spaces', 'list', '--url', 'http://127.0.0.1:1'], 1, 'no_answer', 'No server answers'],
])('with --json the error of %j is JSON on standard error', async (args, code, name, message) => {
  const ran = await runCli([...args, '--json'], { env: { TOLLGATE_TOKEN: 'at_x' }, cwd: tmpdir() });
  expect([ran.code, ran.stdout]).toEqual([code, '']);
  expect(JSON.parse(ran.stderr)).toEqual({
    error: { code: name, message: expect.stringContaining(message), param: null, error_ref: null },
  });
});

describe('in an empty folder', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'tollgate-test-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  const run = (...args: string[]) => runCli(args, { cwd: folder });

  test('status says that no server is running and how to start one', async () => {
    const ran = await run('status');
    expect(ran).toMatchObject({ code: 1 });
    expect(ran.stdout).toContain('Start it with');
  });

  test('init writes a file that config check accepts, and never replaces a file', async () => {
    expect((await run('init')).code).toBe(0);
    const checked = await run('config', 'check', '--json');
    expect(JSON.parse(checked.stdout)).toMatchObject({ valid: true, models: 1, providers: 'openai' });
    expect((await run('init')).stderr).toContain('already exists');
    expect((await run('models')).stdout).toContain('gpt-5-mini');
  });

  test('config check names what is wrong', async () => {
    writeFileSync(join(folder, 'bad.yaml'), 'providers: {}\nmodels: {}\nserver: { prot: 1 }');
    const ran = await run('config', 'check', 'bad.yaml');
    expect(ran.stderr).toContain('unknown key server.prot: did you mean port?');
    expect(ran.code).toBe(1);
  });

  test('help is printed for the program, a group and a command', async () => {
    for (const args of [[], ['keys'], ['keys', 'create']]) {
      const { stdout, code } = await run(...args, '--help');
      expect([code, stdout]).toEqual([
        0,
        expect.stringMatching(`^Usage: ${['tollgate', ...args].join(' ')}`),
      ]);
    }
  });
});

test('a pipe that is closed early is not a failure', async () => {
  const ran = await runCli(['--help'], { reads: false });
  expect(ran).toMatchObject({ code: 0, stderr: '' });
});
