/** `tollgate migrate`: the schema without a server, for deployments that migrate first. */
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { readFunctions } from '../../src/database/apply-functions.ts';
import { type Migration, readMigrations } from '../../src/database/migrate.ts';
import { migrationFacts } from '../../src/database/migration-facts.ts';
import { openDatabase } from '../../src/database/open-database.ts';
import { systemClock as clock } from '../../src/kernel/time.ts';
import { makePlace, type TestPlace } from '../support/engines.ts';
import { EMBEDDED_FLAGS } from '../support/node-flags.ts';
import { type Ran, runCli } from '../support/run-cli.ts';

const everything = [
  ...readMigrations().map(({ name }) => name),
  ...readFunctions().map(({ name }) => `functions/${name}`),
];

describe.skipIf(inject('postgresUrl') === null)('migrate on an empty PostgreSQL', () => {
  let place: TestPlace;
  beforeAll(async () => {
    place = await makePlace('postgres', { empty: true });
  });
  afterAll(() => place?.remove());

  const run = (...args: string[]): Promise<Ran> =>
    runCli(['migrate', '--data', place.folder, ...args], {
      cwd: place.folder,
      env: { DATABASE_URL: place.databaseUrl ?? '' },
    });
  const planned = async (): Promise<string[]> =>
    (JSON.parse((await run('--plan', '--json')).stdout) as { pending: string[] }).pending;
  async function change(statement: string): Promise<void> {
    const db = await openDatabase({ url: place.databaseUrl, folder: place.folder, clock });
    await db.transaction((tx) => tx.script(statement));
    await db.close();
  }

  test('--plan names what would run and changes nothing; then exactly that runs, once', async () => {
    for (let time = 0; time < 2; time++) expect(await planned()).toEqual(everything);
    expect(await run()).toMatchObject({ code: 0, stdout: `${everything.join('\n')}\n` });
    expect(await run('--plan')).toMatchObject({ code: 0, stdout: 'The database is up to date.\n' });
    expect(JSON.parse((await run('--json')).stdout)).toEqual({ applied: [] });
  });

  test('--plan says what each step locks and how long it may take', async () => {
    const newest = readMigrations().at(-1) as Migration;
    const { version, name } = newest;
    const { kind, locks, takes } = migrationFacts(newest);
    await change(`delete from schema_migrations where version = ${version}`);
    const [shown, asJson] = [await run('--plan'), await run('--plan', '--json')];
    await change(`insert into schema_migrations values (${version}, '${name}', now())`);
    expect(shown.stdout.split('\n')[1]?.split(/ {2,}/)).toEqual([name, kind, locks, takes]);
    expect(JSON.parse(asJson.stdout)).toEqual({ pending: [name], steps: [{ name, kind, locks, takes }] });
  });

  test('an older function is planned and replaced alone', async () => {
    const [first] = readFunctions();
    await change(`update schema_functions set version = 0, digest = 'old' where name = '${first?.name}'`);
    const pending = [`functions/${first?.name}`];
    expect(await planned()).toEqual(pending);
    expect(JSON.parse((await run('--json')).stdout)).toEqual({ applied: pending });
  });

  test('a database of a newer version is rejected by both', async () => {
    await change(`insert into schema_migrations values (9999, '9999_newer', now(), 'contract')`);
    for (const flags of [['--plan'], []]) {
      const { code, stderr } = await run(...flags);
      expect(code).toBe(1);
      expect(stderr).toContain('The database has schema version 9999');
    }
  });
});

test('migrate never creates an embedded database, and migrates one that exists', async () => {
  const empty = await makePlace('embedded', { empty: true });
  const missing = await runCli(['migrate', '--data', empty.folder], { cwd: empty.folder });
  expect(missing).toMatchObject({ code: 1 });
  expect(missing.stderr).toContain('There is no installation here');
  const place = await makePlace('embedded');
  const present = await runCli(['migrate', '--plan', '--data', place.folder], {
    cwd: empty.folder,
    nodeFlags: EMBEDDED_FLAGS,
  });
  expect(present).toMatchObject({ code: 0, stdout: 'The database is up to date.\n' });
  await place.remove();
  await empty.remove();
});
