/** `tollgate demo reset`: it removes a demo and nothing else. */
import { cpSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type RunningServer, serve } from '../../src/app/serve.ts';
import { sql } from '../../src/database/sql.ts';
import { pointAt, testConfig } from '../support/config.ts';
import { makePlace, type TestPlace } from '../support/engines.ts';
import { startGateway } from '../support/gateway.ts';
import { EMBEDDED_FLAGS } from '../support/node-flags.ts';
import { runCli } from '../support/run-cli.ts';

const quiet = { PORT: '0', OPS_PORT: '0', LOG_LEVEL: 'silent' };
const silence = { say: () => undefined };
let place: TestPlace;

beforeAll(async () => {
  place = await makePlace('embedded');
});
afterAll(() => place.remove());

const start = (env: Record<string, string> = {}): Promise<RunningServer> =>
  serve({ data: place.folder }, { ...quiet, ...env }, silence);
const reset = (...args: string[]) =>
  runCli(['demo', 'reset', '--data', place.folder, ...args], { cwd: place.folder });
const count = async ({ db }: RunningServer): Promise<unknown> =>
  await db.query(sql`select (select count(*) from spaces) as spaces, (select count(*) from calls) as calls,
    (select count(*) from audit_log where actor = 'demo' and after->>'past_until' is not null) as pasts`);

test('it removes everything, and the next start has a new demo, without data after --empty', async () => {
  const first = await start();
  const running = await reset();
  expect(running).toMatchObject({ code: 1, stdout: '' });
  expect(running.stderr).toContain('is in use by another tollgate process');
  await first.stop();

  writeFileSync(join(place.folder, 'notes.txt'), 'of somebody else');
  const ran = await reset('--empty', '--json');
  expect(JSON.parse(ran.stdout)).toEqual({ removed: place.folder, next_demo: 'empty' });
  expect(readdirSync(place.folder).sort()).toEqual(['demo-empty.txt', 'lock', 'notes.txt']);

  // Creating a database takes seconds; what a start finds in it matters here.
  cpSync(inject('embeddedTemplate'), place.folder, { recursive: true });
  const empty = await start();
  expect(empty.demoKeys?.gateway, 'the keys are new').not.toBe(first.demoKeys?.gateway);
  await empty.demoFilled;
  expect(await count(empty)).toEqual([{ spaces: 1, calls: 0, pasts: 0 }]);
  await empty.stop();

  expect((await reset()).code).toBe(0);
  expect(readdirSync(place.folder).sort()).toEqual(['lock', 'notes.txt']);
});

test('it rejects a folder that no demo created, and names it', async () => {
  const ran = await reset();
  expect(ran).toMatchObject({ code: 1, stdout: '' });
  expect(ran.stderr).toContain(`No demo created the data in ${place.folder}.`);
});

test('an installation with a configuration is never filled, and never reset', async () => {
  const gateway = await startGateway();
  const [counted] = await gateway.query(sql`select count(*) as lines from audit_log where actor = 'demo'`);
  expect(counted).toEqual({ lines: 0 });
  expect(await gateway.admin('installation.version')).toMatchObject({ demo: false });
  const flags = ['--data', gateway.folder, '--config', gateway.configFile];
  const ran = await runCli(['demo', 'reset', ...flags]);
  expect(ran.code).toBe(1);
  expect(ran.stderr).toContain(`it has the configuration file ${gateway.configFile}. Nothing was removed.`);
  // Nor without its configuration file.
  expect((await runCli(['demo', 'reset', '--data', gateway.folder], { cwd: gateway.folder })).code).toBe(1);
  await gateway.stop();
});

test('a demo that is served with a configuration is an installation from then on', async () => {
  const own = await makePlace('embedded');
  const demo = await serve({ data: own.folder }, { ...quiet, TOLLGATE_DEMO_DATA: 'none' }, silence);
  await demo.stop();
  expect(existsSync(join(own.folder, 'demo.txt'))).toBe(true);
  const config = join(own.folder, 'tollgate.yaml');
  writeFileSync(config, pointAt(testConfig(), { simulator: { url: 'http://127.0.0.1:1' } }));
  const server = await serve({ data: own.folder, config }, quiet, silence);
  expect(existsSync(join(own.folder, 'demo.txt'))).toBe(false);
  await server.stop();
  await own.remove();
});

test('a demo in a database with other spaces gets no data', async () => {
  const used = await makePlace('embedded');
  const config = join(used.folder, 'own.yaml');
  writeFileSync(config, pointAt(testConfig(), { simulator: { url: 'http://127.0.0.1:1' } }));
  const flags = ['--data', used.folder, '--config', config];
  const made = await runCli(['spaces', 'create', 'acme', ...flags], { nodeFlags: EMBEDDED_FLAGS });
  expect(made.code).toBe(0);
  const demo = await serve({ data: used.folder }, quiet, silence);
  await demo.demoFilled;
  expect(await count(demo)).toEqual([{ spaces: 2, calls: 0, pasts: 0 }]);
  expect(existsSync(join(used.folder, 'demo.txt'))).toBe(false);
  await demo.stop();
  await used.remove();
});
