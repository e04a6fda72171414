/** What `doctor` and `config check --live` find out about providers, stores and this machine, on real servers. */

import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Simulator, startSimulator } from '../../simulator/simulator.ts';
import { judgeSpace } from '../../src/app/doctor/check-machine.ts';
import { checkDatabase } from '../../src/app/doctor/check-stores.ts';
import { CHECK_MS_MAX, type Finding } from '../../src/app/doctor/finding.ts';
import type { Settings } from '../../src/app/settings.ts';
import { openDatabase } from '../../src/database/open-database.ts';
import { sql } from '../../src/database/sql.ts';
import { Secret } from '../../src/kernel/secret.ts';
import { type Clock, systemClock } from '../../src/kernel/time.ts';
import { engines, makePlace, quickEngine, type TestPlace } from '../support/engines.ts';
import { EMBEDDED_FLAGS, PATIENT_CHECKS } from '../support/node-flags.ts';
import { PATIENCE_MS } from '../support/patience.ts';
import { findRedisServer, startRedis, type TestRedis } from '../support/redis.ts';
import { runCli } from '../support/run-cli.ts';
import { startS3, type TestS3 } from '../support/s3.ts';

const API_KEY = 'doctor-key-4711';
const AWS = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' };
const redisServer = findRedisServer();

let simulator: Simulator;
let late: Server;
let s3: TestS3;
let redis: TestRedis | null;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tollgate-doctor-'));
  simulator = await startSimulator({ apiKey: API_KEY });
  // Its clock is 10 minutes behind.
  late = createServer((_, response) => {
    response.setHeader('date', new Date(Date.now() - 600_000).toUTCString());
    response.end('{"data": [{"id": "sim-chat"}]}');
  });
  await new Promise<void>((resolve) => void late.listen(0, '127.0.0.1', resolve));
  s3 = await startS3();
  redis = redisServer === null ? null : await startRedis(redisServer);
});
afterAll(async () => {
  late.closeAllConnections();
  late.close();
  await Promise.all([simulator.stop(), s3.stop(), redis?.stop()]);
  rmSync(folder, { recursive: true, force: true });
});

/** As `PATIENT_CHECKS`, where no process is started. */
const patientClock: Clock = {
  ...systemClock,
  after: (delayMs, work) => systemClock.after(delayMs === CHECK_MS_MAX ? PATIENCE_MS : delayMs, work),
};

/** Each provider has one model with this name. */
function configOf(providers: Record<string, object>, models: Record<string, string> = {}): string {
  const file = join(folder, 'tollgate.yaml');
  const routes = Object.keys(providers).map((provider) => {
    const model = models[provider] ?? 'sim-chat';
    const video = (providers[provider] as { video?: object }).video && { endpoints: ['video'] };
    return [`model-${provider}`, { ...video, routes: [{ provider, model }] }];
  });
  writeFileSync(file, JSON.stringify({ providers, models: Object.fromEntries(routes) }));
  return file;
}

interface Examined {
  readonly code: number | null;
  readonly stdout: string;
  readonly all: readonly Finding[];
  readonly of: (check: string) => Finding[];
}

async function doctor(file: string, env: Record<string, string> = {}): Promise<Examined> {
  const args = ['doctor', '--json', '--config', file, '--data', join(folder, 'data')];
  const all = { PORT: '0', ...env };
  const { code, stdout, stderr } = await runCli(args, { cwd: folder, env: all, nodeFlags: PATIENT_CHECKS });
  expect(stderr).toBe('');
  const findings = JSON.parse(stdout) as Finding[];
  return {
    code,
    stdout,
    all: findings,
    of: (check) => findings.filter((finding) => finding.check === check),
  };
}

describe('providers', () => {
  test('are ok, or the finding says whether the key, the address or a model is wrong', async () => {
    const { origin } = simulator;
    const key = { api_key: API_KEY };
    const video = {
      create: { path: '/video', body: '{ "prompt": "{{prompt}}" }' },
      status: { path: '/video/{id}', state: '/s', states: { succeeded: ['a'], failed: ['b'] }, files: '/f' },
      auth: { header: 'x-video-key', prefix: 'Key ' },
    };
    const file = configOf(
      {
        openai: { dialect: 'openai', base_url: `${origin}/v1`, ...key },
        anthropic: { dialect: 'anthropic', base_url: origin, ...key },
        google: { dialect: 'google', base_url: `${origin}/v1beta`, ...key },
        azure: { dialect: 'azure-openai', base_url: `${origin}/openai/v1`, ...key },
        bedrock: { dialect: 'bedrock', base_url: origin, ...key },
        films: { dialect: 'http-video', base_url: `${origin}/generic`, ...key, video },
        unversioned: { dialect: 'openai', base_url: origin, ...key },
        versioned: { dialect: 'anthropic', base_url: `${origin}/v1`, ...key },
        keyless: { dialect: 'openai', base_url: `${origin}/v1` },
        wrong: { dialect: 'google', base_url: `${origin}/v1beta`, api_key: 'wrong-key-0815' },
        misspelt: { dialect: 'openai', base_url: `${origin}/v1`, ...key },
        pool: {
          dialect: 'openai',
          base_url: `${origin}/v1`,
          api_keys: [key.api_key, 'wrong-key-0816'],
        },
        late: {
          dialect: 'openai-compatible',
          base_url: `http://127.0.0.1:${(late.address() as AddressInfo).port}`,
        },
        closed: { dialect: 'openai', base_url: 'http://127.0.0.1:1/v1', ...key },
      },
      { azure: 'my-deployment', misspelt: 'sim-chta' },
    );
    const { code, of, stdout } = await doctor(file);
    expect(code).toBe(1);
    const one = (name: string) => of(`provider ${name}`)[0];
    for (const name of ['openai', 'anthropic', 'google', 'azure', 'bedrock', 'films'])
      expect([name, ...of(`provider ${name}`)], name).toMatchObject([name, { status: 'ok' }]);
    expect(one('unversioned')?.detail).toBe(
      `${origin} has no list of models (status 404), but ${origin}/v1 has one`,
    );
    expect(one('unversioned')?.next).toBe(`Write providers.unversioned.base_url: ${origin}/v1`);
    expect(one('versioned')?.next).toBe(`Write providers.versioned.base_url: ${origin}`);
    expect(one('keyless')?.detail).toMatch(/api_key is empty, and the provider wants a key \(status 401\)/);
    expect(of('provider pool, key 1')).toMatchObject([{ status: 'ok' }]);
    expect(of('provider pool, key 2')).toMatchObject([
      {
        status: 'error',
        detail: expect.stringMatching(/does not accept the key/),
        next: expect.stringContaining('providers.pool.api_keys[1]'),
      },
    ]);
    expect(stdout).not.toContain('wrong-key');
    expect(one('wrong')).toMatchObject({
      status: 'error',
      detail: expect.stringMatching(/does not accept the key/),
    });
    expect(one('misspelt')).toMatchObject({
      status: 'warning',
      detail: expect.stringMatching(/does not list: sim-chta$/),
    });
    expect(of('provider late')).toMatchObject([
      { status: 'ok' },
      {
        status: 'error',
        detail: expect.stringMatching(
          /^the clock of this machine is \d{3} s ahead of that of this provider$/,
        ),
      },
    ]);
    expect(of('provider closed')).toMatchObject([
      { status: 'error', detail: 'cannot be reached: nothing listens at this address (ECONNREFUSED)' },
    ]);
    expect(stdout).not.toMatch(/4711|0815/);
  });
});

describe('stores', () => {
  const local = () => ({ sim: { dialect: 'openai', base_url: `${simulator.origin}/v1`, api_key: API_KEY } });

  test('a bucket is tried with an object, which is removed again, and Redis is asked for its version', async () => {
    const env = { ...AWS, S3_BUCKET: s3.bucket, S3_ENDPOINT: s3.endpoint };
    const { code, of, all } = await doctor(configOf(local()), {
      ...env,
      ...(redis !== null && { REDIS_URL: redis.url }),
    });
    expect([code, all.filter(({ status }) => status === 'error')]).toEqual([0, []]);
    expect(of('bucket')).toMatchObject([
      { status: 'ok', detail: expect.stringMatching(/written, read and deleted/) },
    ]);
    const asked = s3.asked.map((request) => request.split(' ')[0]);
    expect(new Set(asked)).toEqual(new Set(['PUT', 'GET', 'DELETE']));
    if (redis === null) return;
    const answers = expect.stringMatching(/(redis|valkey) \d+\.\d+.* answers$/);
    expect(of('redis')).toMatchObject([{ status: 'ok', detail: answers }]);
  });

  test('a bucket and a Redis that are not there are errors, which show no password', async () => {
    const env = {
      ...AWS,
      S3_BUCKET: 'nothing',
      S3_ENDPOINT: s3.endpoint,
      REDIS_URL: 'redis://:hunter2@127.0.0.1:1',
    };
    const { code, of, stdout } = await doctor(configOf(local()), env);
    expect(code).toBe(1);
    expect(of('bucket')).toMatchObject([
      {
        status: 'error',
        detail: 'there is no such bucket (NoSuchBucket)',
        next: expect.stringContaining(`nothing at ${s3.endpoint}`),
      },
    ]);
    expect(of('redis')).toMatchObject([
      {
        status: 'error',
        detail: expect.stringMatching(/^cannot be reached: nothing listens/),
        next: expect.stringContaining('redis://127.0.0.1:1'),
      },
    ]);
    expect(stdout).not.toContain('hunter2');
  });

  describe.each(engines)('on %s', (engine) => {
    let place: TestPlace;
    beforeAll(async () => {
      place = await makePlace(engine, { empty: engine === 'postgres' });
    });
    afterAll(() => place.remove());
    const nodeFlags = [...PATIENT_CHECKS, ...(engine === 'embedded' ? EMBEDDED_FLAGS : [])];

    test('the database says its version and what the next start would do', async () => {
      const env = {
        TOLLGATE_DATA: place.folder,
        ...(place.databaseUrl !== null && { DATABASE_URL: place.databaseUrl }),
      };
      const args = ['doctor', '--json', '--config', configOf(local()), '--data', place.folder];
      const run = async () =>
        JSON.parse((await runCli(args, { env: { ...env, PORT: '0' }, nodeFlags })).stdout) as Finding[];
      const found = (await run()).filter(({ check }) => check === 'database');
      expect(found[0]).toMatchObject({
        status: 'ok',
        detail: expect.stringMatching(/PostgreSQL \d+.*answers/),
      });
      if (engine === 'embedded') return;
      expect(found[0]?.detail).toMatch(/the next start runs all migrations$/);
      expect(found.map(({ detail }) => detail)).toContain(
        'the clock of this machine agrees with that of the database',
      );
      // It ran none of them.
      expect((await run()).find(({ check }) => check === 'database')).toEqual(found[0]);
    });

    const once = test.runIf(engine === quickEngine);
    once('a markup for a space or key that does not exist is an error, at its place', async () => {
      const file = join(folder, 'markup.yaml');
      const key = 'key_01j9x8w7v6t5s4r3q2p1n0m9k8';
      writeFileSync(
        file,
        `providers: ${JSON.stringify(local())}
models: {}
prices:
  version: v1
  models: {}
  markup:
    - { factor: 2, space: acme }
    - { factor: 2, space: acne }
    - { factor: 3, key: ${key} }
`,
      );
      const env = { PORT: '0', ...(place.databaseUrl !== null && { DATABASE_URL: place.databaseUrl }) };
      const run = (...args: string[]) =>
        runCli([...args, '--config', file, '--data', place.folder], { env, nodeFlags });
      expect(await run('spaces', 'create', 'acme')).toMatchObject({ code: 0 });
      const space = `${file}:8:20: prices.markup[1].space: there is no acne; did you mean acme?`;
      const checked = await run('config', 'check');
      expect(checked.code).toBe(1);
      expect(checked.stderr).toContain(`The configuration has 2 errors:\n  ${space}\n  ${file}:9:20: `);
      const { code, stdout } = await run('doctor', '--json');
      expect(code).toBe(1);
      const found = (JSON.parse(stdout) as Finding[]).filter(({ check }) => check === 'markup');
      expect(found).toMatchObject([
        { status: 'error', detail: space, next: expect.stringContaining('new prices.version') },
        { status: 'error', detail: expect.stringContaining(key) },
      ]);
    });

    test('a newer schema is a warning if it was only expanded, else an error', async () => {
      const newer = await makePlace(engine);
      const { databaseUrl: url, folder: dataFolder } = newer;
      const settings = { databaseUrl: url === null ? null : new Secret(url), dataFolder } as Settings;
      const withSchema = async (version: number, kind: string) => {
        const db = await openDatabase({ url, folder: dataFolder, clock: systemClock });
        await db.query(sql`insert into schema_migrations values (${version}, 'next', now(), ${kind})`);
        await db.close();
        return await checkDatabase(settings, patientClock, false);
      };
      expect(await withSchema(9000, 'expand')).toContainEqual(
        expect.objectContaining({ status: 'warning', detail: expect.stringContaining('9000') }),
      );
      expect(await withSchema(9001, 'contract')).toContainEqual(
        expect.objectContaining({ status: 'error', detail: expect.stringContaining('9001 changed') }),
      );
      await newer.remove();
    });

    test.runIf(engine === 'postgres')('a user without rights is named, with what it needs', async () => {
      const user = `weak_${process.pid}`;
      const empty = await makePlace(engine, { empty: true });
      const owner = await openDatabase({ url: place.databaseUrl, folder, clock: systemClock });
      await owner.transaction((tx) => tx.script(`create role ${user} login`));
      try {
        const database = async (address: string | null) => {
          const url = new URL(address as string);
          url.username = user;
          return (await doctor(configOf(local()), { DATABASE_URL: url.href })).of('database');
        };
        expect((await database(empty.databaseUrl))[1]).toEqual({
          check: 'database',
          status: 'error',
          detail: `the user ${user} may not create tables in the schema public, which migrations do`,
          next: `Run as its owner: GRANT CREATE ON SCHEMA public TO ${user};`,
        });
        const [, closed] = await database(place.databaseUrl);
        expect(closed?.detail).toMatch(/may not read and change \d+ tables of the schema public$/);
      } finally {
        await owner.transaction((tx) => tx.script(`drop role ${user}`));
        await owner.close();
        await empty.remove();
      }
    });
  });
});

test('config check --live prints the findings below the summary, and leaves nothing in the data folder', async () => {
  const file = configOf({ sim: { dialect: 'openai', base_url: simulator.origin, api_key: API_KEY } });
  const data = mkdtempSync(join(folder, 'live-'));
  const { code, stdout } = await runCli(['config', 'check', file, '--live', '--data', data], {
    env: { PORT: '0', HOST: '0.0.0.0' },
    nodeFlags: PATIENT_CHECKS,
  });
  expect(code).toBe(1);
  expect(stdout).toMatch(/^valid +yes$/m);
  expect(stdout).toMatch(/^ERROR +provider sim .*has no list of models/m);
  expect(stdout).toMatch(/^ +Write providers\.sim\.base_url: /m);
  expect(stdout).toMatch(/^warning +public_url .*listens on 0\.0\.0\.0/m);
  expect(stdout).toMatch(/^ok +disk .*GiB free/m);
  expect(readdirSync(data)).toEqual([]);
});

test.each([
  [50 * 2 ** 20, 'error'],
  [500 * 2 ** 20, 'warning'],
  [50 * 2 ** 30, 'ok'],
])('%d bytes of free disk space are judged as %s', (bytes, status) => {
  expect(judgeSpace(bytes, '/data').status).toBe(status);
});
