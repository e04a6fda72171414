/** The configuration as operators write and check it: with mistakes, with secrets in files, and with `.env`. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadEnvFiles } from '../../src/app/env-files.ts';
import { runCli } from '../support/run-cli.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tollgate-config-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const rest = `providers:
  one: { dialect: openai, base_url: "https://one.example/v1", api_key: "\${ONE_KEY}" }
models:
  fast: { routes: [{ provider: one, model: fast-1 }] }
`;

/** Writes a file below the folder and returns its path. */
function put(name: string, text: string): string {
  const file = join(folder, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

const run = (args: string[], options: { env?: Record<string, string>; cwd?: string } = {}) =>
  runCli(args, { cwd: folder, ...options });

test('init writes a file whose first line names the schema beside it, which config schema prints', async () => {
  const cwd = join(folder, 'new');
  mkdirSync(cwd);
  expect(await run(['init'], { cwd })).toMatchObject({ code: 0 });
  const [first = ''] = readFileSync(join(cwd, 'tollgate.yaml'), 'utf8').split('\n');
  const named = /^# yaml-language-server: \$schema=(\S+)$/.exec(first)?.[1] ?? '';
  expect(existsSync(join(cwd, named))).toBe(true);
  const { stdout } = await run(['config', 'schema'], { cwd });
  expect(readFileSync(join(cwd, named), 'utf8')).toBe(stdout);
});

test('config check and serve report all errors with line and column, and no secret', async () => {
  const file = put(
    'bad/tollgate.yaml',
    `server:\n  prot: 1\n  host: \${file:nothing}\nredis: { url: "\${R}" }\n${rest}`,
  );
  const env = { R: 'hunter2-secret', ONE_KEY: 'k', LOG_LEVEL: 'loud' };
  const checked = await run(['config', 'check', file], { env });
  expect(checked).toEqual({
    code: 1,
    stdout: '',
    stderr: `tollgate: The configuration has 4 errors:
  LOG_LEVEL is "loud". It must be one of debug, info, warn, error, silent.
  ${file}:2:3: unknown key server.prot: did you mean port?
  ${file}:3:3: server.host: the file ${join(dirname(file), 'nothing')} cannot be read: it does not exist
  ${file}:4:10: REDIS_URL (or redis.url) must be a URL of the form redis://user:password@host:6379 or rediss://….
`,
  });
  expect(await run(['serve', '--config', file], { env })).toEqual(checked);
  const { code, stdout } = await run(['config', 'check', file, '--json'], { env });
  expect([code, JSON.parse(stdout)]).toMatchObject([
    1,
    { valid: false, errors: [{}, { line: 2, column: 3 }, {}, {}] },
  ]);
});

test('a secret file is read relative to the configuration, without its last line break', async () => {
  put('files/secrets/port', '8123\n');
  const file = put('files/tollgate.yaml', `server: { port: "\${file:secrets/port}" }\n${rest}`);
  const { stdout, stderr } = await run(['config', 'check', file, '--json'], { env: { ONE_KEY: 'k' } });
  expect(stderr).toBe('');
  expect(JSON.parse(stdout).listens).toBe('127.0.0.1:8123');
});

test('the environment wins over .env beside the configuration, and that over .env in the working folder', async () => {
  const file = put('env/etc/tollgate.yaml', `server: { host: "\${SHOWN}" }\n${rest}`);
  put('env/etc/.env', 'PORT=1002\nSHOWN=10.0.0.2\n# a comment\nONE_KEY="beside secret"\n');
  put('env/.env', 'TOLLGATE_CONFIG=etc/tollgate.yaml\nPORT=1003\nSHOWN=10.0.0.3\nOPS_PORT=99999\n');
  const listens = async (env: Record<string, string>, cwd: string) => {
    const { stdout, stderr } = await run(['config', 'check', '--json'], { env, cwd });
    return stderr === '' ? (JSON.parse(stdout).listens ?? JSON.parse(stdout).errors[0].message) : stderr;
  };
  // The variables of the working folder are used where nothing else has them.
  expect(await listens({}, join(folder, 'env'))).toMatch(/^OPS_PORT is "99999"/);
  const env = { OPS_PORT: '0' };
  expect(await listens(env, join(folder, 'env'))).toBe('10.0.0.2:1002');
  expect(await listens({ ...env, PORT: '1001' }, join(folder, 'env'))).toBe('10.0.0.2:1001');
  expect(await listens({ ...env, TOLLGATE_CONFIG: file }, folder)).toBe('10.0.0.2:1002');
});

test('.env never decides where a key or a session is sent', () => {
  const names = ['TOLLGATE_URL', 'TOLLGATE_KEY', 'TOLLGATE_TOKEN', 'TOLLGATE_SESSION', 'XDG_CONFIG_HOME'];
  put('other/.env', ['PORT=1004', ...names.map((name) => `${name}=theirs`)].join('\n'));
  const config = join(folder, 'other/tollgate.yaml');
  const env: Record<string, string | undefined> = {};
  loadEnvFiles({ config }, env);
  expect(env).toEqual({ PORT: '1004' });
});
