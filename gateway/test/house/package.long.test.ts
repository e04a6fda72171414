/** The product as it is published: packed, installed with npm into an empty prefix, run from there. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { version } from '../../src/app/version.ts';
import { type InstalledPackage, installPackage, packageEnv } from '../support/installed-package.ts';

const gateway = fileURLToPath(new URL('../..', import.meta.url));
let installed: InstalledPackage;
let folder: string;

beforeAll(() => {
  installed = installPackage();
  folder = join(installed.folder, 'work');
  mkdirSync(folder);
});
afterAll(() => installed?.remove());

const env = { ...packageEnv, PORT: '0', OPS_PORT: '0', TOLLGATE_DEMO_DATA: 'none' };
const run = (...args: string[]): string =>
  execFileSync(installed.command, args, { cwd: folder, env, encoding: 'utf8' });

test('has no TypeScript source and no tests in it, has its pages and its licence, and still finds its demo', () => {
  const files = readdirSync(installed.home, { recursive: true, encoding: 'utf8' }).filter(
    (file) => !file.startsWith('node_modules'),
  );
  expect(files.filter((file) => file.endsWith('.ts'))).toEqual([]);
  expect(files.filter((file) => file.includes('.test.'))).toEqual([]);
  expect(files).toEqual(
    expect.arrayContaining([
      'assets/console/index.html',
      'assets/console/docs-page.js',
      'LICENSE',
      'README.md',
    ]),
  );
  expect(run('--version')).toBe(`${version}\n`);
  expect(run('models')).toContain('sim-chat');
});

test('the installed command runs the demo, answers a call, and administers it', async () => {
  const server = spawn(installed.command, ['serve'], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(server, 'exit');
  let said = '';
  for await (const chunk of server.stdout) {
    said += chunk;
    if (said.includes('Ctrl-C')) break;
  }
  const key = /sk_\w+/.exec(said)?.[0];
  const url = /http:\/\/[\w.]+:\d+/.exec(said)?.[0];
  const reply = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'sim-chat',
      messages: [{ role: 'user', content: 'Reply with exactly: It works' }],
    }),
  });
  expect(await reply.json()).toMatchObject({ choices: [{ message: { content: 'It works' } }] });
  expect(JSON.parse(run('spaces', 'create', 'acme', '--json'))).toMatchObject({ name: 'acme' });
  server.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
});

test.each([
  ['an installed command', () => installed.home, 'Install a newer Node'],
  ['a checkout', () => gateway, 'npx tollgate'],
])('%s says on an old Node what to do', (_, home, advice) => {
  const old = `Object.defineProperty(process.versions, 'node', { value: '20.20.2' });`;
  const bin = join(home(), 'bin/tollgate.js');
  const flags = ['--input-type=module', '-e', `${old} await import('file://${bin}')`];
  const { status, stderr } = spawnSync(process.execPath, flags, { encoding: 'utf8' });
  expect(status).toBe(1);
  expect(stderr).toContain('needs Node 24.7 or newer; this is v20.20.2');
  expect(stderr).toContain(advice);
});

test('a package is not made without a build, nor with one that is older than its sources', () => {
  const copy = join(installed.folder, 'copy');
  for (const name of ['bin', 'demo', 'scripts', 'package.json'])
    cpSync(join(gateway, name), join(copy, name), { recursive: true });
  const pack = (): { status: number | null; stderr: string } =>
    spawnSync('npm', ['pack'], { cwd: copy, encoding: 'utf8', env: packageEnv });
  const packed = (): string[] => readdirSync(copy).filter((name) => name.endsWith('.tgz'));

  const unbuilt = pack();
  expect(unbuilt.status).not.toBe(0);
  expect(unbuilt.stderr).toContain('dist/src/cli/main.js');
  expect(unbuilt.stderr).toContain('Run "npm run build" first.');

  // The copied sources are newer than the build, whose times are kept.
  for (const name of ['dist', 'assets', 'LICENSE'])
    cpSync(join(gateway, name), join(copy, name), { recursive: true, preserveTimestamps: true });
  cpSync(join(gateway, 'simulator'), join(copy, 'simulator'), { recursive: true });
  mkdirSync(join(copy, 'src'));
  const stale = pack();
  expect(stale.status).not.toBe(0);
  expect(stale.stderr).toContain('was changed after the build');
  expect(packed()).toEqual([]);
});
