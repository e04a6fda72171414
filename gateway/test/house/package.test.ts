/** The product as it is published: packed, unpacked somewhere else, run from its built JavaScript. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';

const gateway = fileURLToPath(new URL('../..', import.meta.url));
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tollgate-test-package-'));
  execFileSync('npm', ['run', 'build'], { cwd: gateway, stdio: 'ignore' });
  execFileSync('npm', ['pack', '--pack-destination', folder], { cwd: gateway, stdio: 'ignore' });
  const [packed = ''] = readdirSync(folder);
  execFileSync('tar', ['-xf', packed], { cwd: folder });
  symlinkSync(join(gateway, '../node_modules'), join(folder, 'node_modules'));
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const bin = (): string => join(folder, 'package/bin/tollgate.js');
const run = (...args: string[]): string =>
  execFileSync(process.execPath, [bin(), ...args], {
    cwd: folder,
    encoding: 'utf8',
  });

test('has no TypeScript source and no tests in it, has its pages, and still finds its demo', () => {
  const files = readdirSync(join(folder, 'package'), { recursive: true, encoding: 'utf8' });
  expect(files.filter((file) => file.endsWith('.ts'))).toEqual([]);
  expect(files.filter((file) => file.includes('.test.'))).toEqual([]);
  expect(files).toEqual(expect.arrayContaining(['assets/console/index.html', 'assets/docs/viewer.js']));
  expect(run('models')).toContain('sim-chat');
});

test('runs the demo, which creates its database, and is administered beside it', async () => {
  const server = spawn(process.execPath, [bin(), 'serve'], {
    cwd: folder,
    env: { ...process.env, PORT: '0', OPS_PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(server, 'exit');
  for await (const chunk of server.stdout) if (`${chunk}`.includes('Ctrl-C')) break;
  const made = JSON.parse(run('spaces', 'create', 'acme', '--json'));
  expect(made).toMatchObject({ name: 'acme' });
  server.kill('SIGTERM');
  await ended;
});

test('says on an old Node what to do', () => {
  const old = join(gateway, 'bin/tollgate.js');
  const pretend = `Object.defineProperty(process.versions, 'node', { value: '20.20.2' }); await import('file://${old}')`;
  const ran = (() => {
    try {
      execFileSync(process.execPath, ['--input-type=module', '-e', pretend], {
        encoding: 'utf8',
        stdio: 'pipe',
      });
      return '';
    } catch (error) {
      return (error as { stderr: string }).stderr;
    }
  })();
  expect(ran).toContain('needs Node 24.7 or newer');
});
