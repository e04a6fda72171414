/** Administration over HTTP: the same commands, as the signed-in person, from any machine. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CommandProcess } from '../support/command-process.ts';
import { ConsoleVisitor } from '../support/console-visitor.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { type Ran, runCli } from '../support/run-cli.ts';

const PASSWORD = 'correct horse battery';

let gateway: TestGateway;
let folder: string;
const commands = new CommandProcess();
const tokens: Record<string, string> = {};
beforeAll(async () => {
  gateway = await startGateway();
  folder = mkdtempSync(join(tmpdir(), 'tollgate-test-http-'));
  await gateway.admin('operators.add', { email: 'ops@example.com', password: PASSWORD });
  await gateway.admin('members.add', { email: 'kim@example.com', role: 'member', nickname: '김' });
  await gateway.admin('people.password', { email: 'kim@example.com', password: PASSWORD });
  const visitor = new ConsoleVisitor(gateway.url, '');
  for (const email of ['ops@example.com', 'kim@example.com']) {
    const body = { email, password: PASSWORD, keep: 'token' };
    tokens[email] = (await visitor.send('POST', '/api/console/session', { body })).body.token;
  }
});
afterAll(async () => {
  await commands.stop();
  rmSync(folder, { recursive: true });
  await gateway.stop();
});

/** Someone on another machine: nothing but the address and a token. */
function elsewhere(who: string, url = gateway.url): { cwd: string; env: Record<string, string | undefined> } {
  return {
    cwd: folder,
    env: { TOLLGATE_URL: url, TOLLGATE_TOKEN: tokens[who], XDG_CONFIG_HOME: folder },
  };
}

function overHttp(args: readonly string[], who = 'ops@example.com'): Promise<Ran> {
  return commands.run(args, elsewhere(who));
}

function onSocket(args: readonly string[]): Promise<Ran> {
  return commands.run([...args, '--data', gateway.folder, '--config', gateway.configFile], { cwd: folder });
}

test.each([
  ['spaces list'],
  ['keys list -o wide'],
  ['spaces models acme'],
  ['spaces models acme --limit 2 --json'],
  ['spaces overage acme on'],
  ['keys models test sim-caht'],
  ['members list --csv'],
  ['members role kim@example.com member --json'],
  ['grants list --json'],
  ['balance --space acme'],
  ['keys get ghost'],
  ['why req_00000000000000000000000000'],
  ['builds list ghost'],
])('"%s" prints the same over the local socket and over HTTP', async (line) => {
  const args = line.split(' ');
  const [here, there] = [await onSocket(args), await overHttp(args)];
  expect(there).toEqual(here);
  expect(here.stdout + here.stderr).not.toBe('');
});

test('a change over HTTP takes effect at once, and the audit log has the person', async () => {
  const made = JSON.parse((await overHttp(['keys', 'create', 'remote', '--json'])).stdout);
  const call = () => fetch(`${gateway.url}/v1/models`, { headers: { authorization: `Bearer ${made.key}` } });
  expect((await call()).status).toBe(200);
  expect((await overHttp(['keys', 'revoke', 'remote'])).code).toBe(0);
  expect((await call()).status).toBe(401);
  const lines = JSON.parse((await overHttp(['audit', '--limit', '2', '--json'])).stdout);
  expect(lines).toMatchObject([
    { actor: 'ops@example.com', action: 'keys.revoke', subject: 'remote' },
    { actor: 'ops@example.com', action: 'keys.create', subject: 'remote' },
  ]);
});

test('a member sees their own space, and gets the reason for everything that needs more rights', async () => {
  const kim = (...args: string[]) => overHttp(args, 'kim@example.com');
  const made = await kim('keys', 'create', 'kims', '--kind', 'personal', '--json');
  expect(JSON.parse(made.stdout)).toMatchObject({ name: 'kims', kind: 'personal', space: 'acme' });
  const denied = await kim('spaces', 'create', 'more');
  expect(denied).toEqual({
    code: 1,
    stdout: '',
    stderr: 'tollgate: Only an operator of the installation may do this.\n',
  });
  const json = await kim('members', 'list', '--json');
  expect([json.code, json.stdout, JSON.parse(json.stderr)]).toEqual([
    1,
    '',
    {
      error: {
        code: 'permission_denied',
        message: 'Only an administrator of acme may do this.',
        param: null,
        error_ref: expect.stringMatching(/^req_/),
      },
    },
  ]);
  const hidden = await kim('keys', 'list', '--space', 'elsewhere');
  expect(hidden.stderr).toBe(
    'tollgate: There is no space elsewhere that you can see. "tollgate spaces list" shows them.\n',
  );
});

test('after "login", commands in any folder administer that server, and create no database', async () => {
  const home = mkdtempSync(join(tmpdir(), 'tollgate-test-home-'));
  const empty = mkdtempSync(join(tmpdir(), 'tollgate-test-empty-'));
  const run = (args: readonly string[], input?: string) =>
    runCli(args, { cwd: empty, env: { XDG_CONFIG_HOME: home }, ...(input !== undefined && { input }) });
  const login = ['login', '--url', gateway.url, '--email', 'ops@example.com', '--password-stdin'];
  expect(await run(login, PASSWORD)).toMatchObject({ code: 0, stderr: '' });
  expect((await run(['spaces', 'list'])).stdout).toMatch(/^acme /m);
  const { stdout } = await run(['operators', 'link', 'ops@example.com']);
  expect(stdout).toContain(`${gateway.url}/console/sign-in#sl_`);
  expect(readdirSync(empty)).toEqual([]);
  const other = await run(['spaces', 'list', '--url', 'http://127.0.0.1:1']);
  expect([other.code, other.stderr]).toEqual([
    1,
    expect.stringContaining(
      'You are not signed in to http://127.0.0.1:1. Sign in with "tollgate login --url',
    ),
  ]);
  const file = join(home, 'tollgate', 'session.json');
  writeFileSync(file, readFileSync(file, 'utf8').replace(/"ts_\w+"/, `"ts_${'0'.repeat(46)}"`));
  const expired = await run(['spaces', 'list']);
  expect([expired.code, expired.stderr]).toEqual([1, expect.stringContaining('Use "tollgate login"')]);
  for (const each of [home, empty]) rmSync(each, { recursive: true });
});

test('a mistake is reported before a password is asked for', async () => {
  const wrong = await overHttp(['operators', 'add', 'kim']);
  expect([wrong.code, wrong.stderr]).toEqual([
    2,
    'tollgate: email "kim" is not valid: it must be an e-mail address, such as kim@example.com.\n',
  ]);
  const nowhere = await runCli(['operators', 'add', 'kim@example.com'], {
    cwd: folder,
    env: { XDG_CONFIG_HOME: folder },
  });
  expect([nowhere.code, nowhere.stderr]).toEqual([
    1,
    expect.stringContaining('There is no installation here'),
  ]);
});

describe('when the connection breaks', () => {
  let proxy: Server;
  let url: string;
  let losses = 0;
  const seen: unknown[] = [];

  /** The server carries out the request, but its answer is lost. */
  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { authorization = '', 'idempotency-key': key } = request.headers;
    seen.push(key);
    const answer = await fetch(`${gateway.url}${request.url}`, {
      method: request.method as string,
      headers: {
        authorization,
        'content-type': 'application/json',
        ...(key !== undefined && { 'idempotency-key': String(key) }),
      },
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    });
    const text = await answer.text();
    if (losses-- > 0) request.socket.destroy();
    else response.writeHead(answer.status).end(text);
  }

  beforeAll(async () => {
    proxy = createServer((request, response) => {
      pass(request, response).catch(() => response.destroy());
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  });
  afterAll(() => new Promise<void>((resolve) => void proxy.close(() => resolve())));

  test('before the answer, a change is sent once more with the same key, and is carried out once', async () => {
    losses = 1;
    seen.length = 0;
    const create = ['keys', 'create', 'lost', '--space', 'acme', '--json'];
    const { key } = JSON.parse((await runCli(create, elsewhere('ops@example.com', url))).stdout);
    expect(seen).toEqual([seen[0], seen[0]]);
    expect(seen[0]).toBeDefined();
    const reply = await fetch(`${gateway.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
    expect(reply.status).toBe(200);
    const { data } = await gateway.admin('audit.all', { limit: 5 });
    expect(data.filter(({ subject }) => subject === 'lost')).toHaveLength(1);
  });

  test('twice, the command fails and says that the change may have been carried out', async () => {
    losses = 2;
    const disable = ['keys', 'disable', 'lost', '--space', 'acme'];
    const ran = await runCli(disable, elsewhere('ops@example.com', url));
    expect([ran.code, ran.stdout]).toEqual([1, '']);
    expect(ran.stderr).toMatch(/broke before an answer arrived\. .* check whether it was carried out/);
  });
});
