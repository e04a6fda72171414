/** The commands about people and projects, and a session for the command line, against a running server. */

import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/database/sql.ts';
import { CommandProcess } from '../support/command-process.ts';
import { testConfig } from '../support/config.ts';
import { ConsoleVisitor } from '../support/console-visitor.ts';
import { oneEngine } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { type Ran, runCli } from '../support/run-cli.ts';

const PASSWORD = 'correct horse battery';

describe('the command line', () => {
  const commands = new CommandProcess();
  let gateway: TestGateway;
  let home: string;
  beforeAll(async () => {
    gateway = await startGateway();
    home = mkdtempSync(join(tmpdir(), 'tollgate-test-home-'));
    await gateway.admin('operators.add', { email: 'ops@example.com', password: PASSWORD });
  });
  afterAll(async () => {
    await commands.stop();
    rmSync(home, { recursive: true });
    await gateway.stop();
  });

  const run = (
    args: readonly string[],
    { input, env }: { input?: string; env?: Record<string, string> } = {},
  ): Promise<Ran> => {
    const whole = [...args, '--data', gateway.folder, '--config', gateway.configFile];
    const options = { env: { XDG_CONFIG_HOME: home, ...env } };
    return input === undefined ? commands.run(whole, options) : runCli(whole, { ...options, input });
  };
  const whoAmI = (token: string) =>
    new ConsoleVisitor(gateway.url, '').look({ authorization: `Bearer ${token.trim()}` });
  const file = (): string => join(home, 'tollgate', 'session.json');

  test('login keeps a session that only its user can read, prints it for curl, and logout ends it', async () => {
    const login = ['login', '--email', 'ops@example.com', '--password-stdin'];
    const wrong = await run(login, { input: 'wrong password\n' });
    expect(wrong).toEqual({
      code: 1,
      stdout: '',
      stderr: 'tollgate: The e-mail or the password is wrong.\n',
    });
    expect(existsSync(file())).toBe(false);

    const ran = await run(login, { input: `${PASSWORD}\n` });
    expect(ran.stderr).toBe('');
    expect(ran.stdout).toMatch(/^email +ops@example\.com$/m);
    expect(ran.stdout).toMatch(/^spaces +acme \(operator\)$/m);
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    const { token } = JSON.parse(readFileSync(file(), 'utf8'));
    expect(ran.stdout).not.toContain(token);

    const printed = await run(['login', '--print-token']);
    expect(printed).toEqual({ code: 0, stdout: `${token}\n`, stderr: '' });
    expect((await whoAmI(printed.stdout)).body.person.email).toBe('ops@example.com');

    expect((await run(['logout'])).code).toBe(0);
    expect(existsSync(file())).toBe(false);
    expect((await whoAmI(token)).status).toBe(401);
    expect(await run(['logout'])).toMatchObject({ code: 1, stderr: 'tollgate: You are not signed in.\n' });
  });

  test('login accepts a one-time link, and TOLLGATE_SESSION replaces the stored session', async () => {
    await gateway.admin('members.add', { email: 'kim@example.com', role: 'member' });
    const made = await run(['members', 'link', 'kim@example.com', '--json']);
    const { link } = JSON.parse(made.stdout);
    expect(link).toMatch(new RegExp(`^http://localhost:${new URL(gateway.url).port}/console/sign-in#sl_`));
    const elsewhere = { TOLLGATE_SESSION: join(home, 'other', 'kim.json') };
    const printed = await run(['login', '--link', link, '--print-token'], { env: elsewhere });
    expect((await whoAmI(printed.stdout)).body.person.email).toBe('kim@example.com');
    expect(statSync(elsewhere.TOLLGATE_SESSION).mode & 0o777).toBe(0o600);
    const held = { TOLLGATE_SESSION: printed.stdout.trim() };
    expect((await run(['login', '--print-token'], { env: held })).stdout).toBe(printed.stdout);
    expect((await run(['logout'], { env: held })).code).toBe(0);
    expect((await whoAmI(printed.stdout)).status).toBe(401);
    const again = await run(['login', '--link', link]);
    expect(again.stderr).toBe(
      'tollgate: The link is invalid, was already used or has expired. Ask for a new one.\n',
    );
  });

  test.each([
    ['no e-mail', ['login'], /Sign in with --email/],
    ['no terminal', ['login', '--email', 'x@y.z'], /pass it on standard input with --password-stdin/],
    [
      'no server',
      ['login', '--link', 'sl_x', '--url', 'http://127.0.0.1:1'],
      /No server answers at http:\/\/127/,
    ],
    ['an unknown person', ['members', 'link', 'x@y.z'], /neither a member of a space nor an operator/],
    ['an unknown project', ['builds', 'list', 'ghost'], /no project ghost/],
  ])('with %s, a command fails with a sentence', async (_, args, message) => {
    const ran = await run(args as string[]);
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toMatch(message as RegExp);
  });

  test('adds operators, projects and builds, and lists them', async () => {
    const json = async (args: string[], input?: string) => {
      const ran = await run([...args, '--json'], input === undefined ? {} : { input });
      if (ran.code !== 0) throw new Error(ran.stderr);
      return JSON.parse(ran.stdout);
    };
    await json(['operators', 'add', 'new@example.com', '--password-stdin'], PASSWORD);
    expect(await json(['operators', 'list'])).toMatchObject([
      { email: 'new@example.com', has_password: true },
      { email: 'ops@example.com', has_password: true },
    ]);
    expect(await json(['operators', 'remove', 'new@example.com'])).toMatchObject({ operator: false });
    await json(['projects', 'add', 'shop', '--name', 'The shop']);
    expect(await json(['projects', 'list'])).toMatchObject([{ id: 'shop', name: 'The shop', space: 'acme' }]);
    const { id } = await json(['builds', 'start', 'shop']);
    await json(['builds', 'finish', id, 'failed']);
    expect(await json(['builds', 'list', 'shop'])).toMatchObject([{ id, status: 'failed' }]);
    expect(await json(['projects', 'remove', 'shop'])).toMatchObject({ removed: true });
    expect((await run(['projects', 'list'])).stdout).toContain('No projects yet');
  });
});

describe.each(oneEngine('postgres', 'command line'))('projects and builds on %s', (engine) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway({ engine });
    await gateway.admin('spaces.create', { name: 'globex' });
  });
  afterAll(() => gateway.stop());

  const add = (id: string, space = 'acme', name = id) => gateway.admin('projects.add', { id, space, name });

  test('belong to one space; an id is that of one space, even after its project is removed', async () => {
    await add('shop', 'acme', 'Shop');
    await expect(add('shop', 'globex')).rejects.toThrow('shop belongs to acme');
    await expect(add('shop')).rejects.toThrow('already a project shop in acme');
    await expect(add('shop-2', 'acme', 'Shop')).rejects.toThrow('already a project named Shop in acme');
    await add('shop-3', 'globex', 'Shop');
    expect(await gateway.admin('projects.list', { space: 'globex' })).toMatchObject({
      data: [{ id: 'shop-3', space: 'globex' }],
    });
    const shop = { space: 'acme', project: 'shop' };
    await expect(gateway.admin('projects.remove', { ...shop, space: 'globex' })).rejects.toThrow(
      'no project shop in globex',
    );
    await gateway.admin('projects.remove', shop);
    await expect(add('shop', 'globex')).rejects.toThrow('or did before its project was removed');
    await expect(gateway.admin('builds.start', shop)).rejects.toThrow('no project shop');
    await add('shop-4', 'acme', 'Shop');
  });

  test.each(['', '-a', 'A', 'a_b', 'a/b', '..', 'é', 'a'.repeat(64)])(
    '%j is rejected as an id',
    async (id) => {
      await expect(add(id, 'acme', 'x')).rejects.toThrow(/id/);
      const insert = sql`insert into projects select ${id}, id, 'x', now() from spaces`;
      await expect(gateway.query(insert)).rejects.toThrow();
    },
  );

  test('a build runs, ends once, and has both times', async () => {
    await add('api', 'acme');
    const api = { space: 'acme', project: 'api' };
    const started = await gateway.admin('builds.start', api);
    expect(started).toMatchObject({ project: 'api', status: 'running', log: `builds/${started.id}.log` });
    const later = await gateway.admin('builds.start', api);
    const finish = (space: string, status: 'succeeded' | 'failed') =>
      gateway.admin('builds.finish', { space, build: started.id, status });
    await expect(finish('globex', 'failed')).rejects.toThrow(`no build ${started.id} in globex`);
    await finish('acme', 'succeeded');
    await expect(finish('acme', 'failed')).rejects.toThrow('already');
    expect(await gateway.admin('builds.list', api)).toMatchObject({
      data: [
        { id: later.id, status: 'running', finished_at: null },
        { id: started.id, status: 'succeeded', finished_at: expect.stringMatching(/\+09:00$/) },
      ],
    });
    const wrong = sql`update builds set finished_at = now() where id = ${later.id}`;
    await expect(gateway.query(wrong)).rejects.toThrow();
  });
});

test('with a public https address, cookies are for https only, links lead there, and its pages are our own', async () => {
  const config = testConfig({ server: { public_url: 'https://tollgate.example.com/' } });
  const gateway = await startGateway({ config });
  await gateway.admin('operators.add', { email: 'ops@example.com', password: PASSWORD });
  const visitor = new ConsoleVisitor(gateway.url, '');
  const origin = 'https://tollgate.example.com';
  const entered = await visitor.signIn('ops@example.com', PASSWORD, { origin });
  expect(entered.headers.get('set-cookie')).toMatch(/^__Host-tollgate_session=.*; Secure$/);
  const [cookie = ''] = (entered.headers.get('set-cookie') ?? '').split(';');
  const csrf = { 'x-csrf-token': entered.body.csrf as string };
  expect((await visitor.signOut({ cookie, ...csrf, origin: `${origin}.evil.test` })).status).toBe(403);
  expect((await visitor.signOut({ cookie, ...csrf, origin })).status).toBe(200);
  const ran = await runCli([
    'operators',
    'link',
    'ops@example.com',
    '--data',
    gateway.folder,
    '--config',
    gateway.configFile,
  ]);
  expect(ran.stdout).toMatch(/^link +https:\/\/tollgate\.example\.com\/console\/sign-in#sl_/m);
  await gateway.stop();
});
