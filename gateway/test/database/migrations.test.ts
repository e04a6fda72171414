/** The schema: what the migrations and functions lead to, from a new database and from an old one. */
import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import { describeSchema } from '../../scripts/describe-schema.ts';
import {
  applyFunctions,
  functionDigest,
  readFunctions,
  type SchemaFunction,
} from '../../src/database/apply-functions.ts';
import { type Database, timestamp } from '../../src/database/database.ts';
import { migrate, planMigrations, readMigrations } from '../../src/database/migrate.ts';
import { openDatabase } from '../../src/database/open-database.ts';
import { sql } from '../../src/database/sql.ts';
import { systemClock } from '../../src/kernel/time.ts';
import { monthStatement } from '../../src/reports/statement.ts';
import { verifyBooks } from '../../src/reports/verify-books.store.ts';
import { startChild } from '../chaos/child.ts';
import { engines, makePlace, type TestPlace } from '../support/engines.ts';
import {
  loadOldDatabase,
  OLD_MONTH,
  type OldFigures,
  oldFigures,
  oldSchemas,
} from '../support/old-database.ts';

const clock = systemClock;
const read = (file: string): string =>
  readFileSync(new URL(`../../src/database/${file}`, import.meta.url), 'utf8');
const appliedNames = readFunctions().map(({ name }) => `functions/${name}`);
/** The first migration. */
const BASELINE = 31;
/** A constraint needs its function when the migration adds it. */
const NEEDED_BY_CONSTRAINTS = new Map([['0040_own_rows', 'entry_fits']]);

describe.each(engines)('the schema on %s', (engine) => {
  const opened: Array<{ db: Database; place: TestPlace }> = [];
  afterEach(async () => {
    for (const { db, place } of opened.splice(0)) {
      await db.close();
      await place.remove();
    }
  });

  async function open(options: { bare?: boolean } = {}): Promise<Database> {
    const place = await makePlace(engine, options);
    const db = await openDatabase({ url: place.databaseUrl, folder: place.folder, clock });
    opened.push({ db, place });
    return db;
  }

  /** A database as a program left it that had these migrations and no files of functions. */
  async function openOld(version: number): Promise<Database> {
    const db = await open({ bare: true });
    await applyMigrations(db, version);
    return db;
  }

  test('schema.sql is the schema of a new database (else run "npm run schema")', async () => {
    expect(await describeSchema(await open())).toBe(read('schema.sql'));
  });

  test.each(oldSchemas)(
    'a database of schema %i, as its program left it, gets the same schema and keeps its books and statements',
    async (schema) => {
      const db = await open({ bare: true });
      await loadOldDatabase(db, schema);
      const newer = readMigrations().filter(({ version }) => version > schema);
      const ran = await migrate(db, clock);
      expect(ran.slice(0, newer.length)).toEqual(newer.map(({ name }) => name));
      expect(ran.slice(newer.length).every((name) => appliedNames.includes(name))).toBe(true);
      expect(await describeSchema(db)).toBe(read('schema.sql'));
      expect(await migrate(db, clock)).toEqual([]);

      const before = oldFigures(schema);
      const { disagreements, spaces } = await verifyBooks(db);
      expect(disagreements).toEqual([]);
      expect(spaces).toMatchObject(before.spaces);
      const ids = await db.query<{ id: string; name: string }>(sql`select id, name from spaces`);
      for (const { id, name } of ids) {
        const { space, ...statement } = before.statements[name] as OldFigures['statements'][string];
        const of = { spaceId: id, month: OLD_MONTH, now: clock.now() } as const;
        expect(await monthStatement(db, of), space).toEqual(statement);
      }
      expect(ids.length).toBe(before.spaces.length);
    },
  );

  test('a database from before the baseline is rejected with a sentence, and stays as it was', async () => {
    const db = await open({ bare: true });
    await db.transaction((tx) =>
      tx.script(`create table schema_migrations (version integer, name text, applied_at timestamptz, kind text);
        insert into schema_migrations values (14, '0014_lock_order', now(), 'expand')`),
    );
    await expect(migrate(db, clock)).rejects.toThrow('has schema version 14, from before 0.1.0');
    await expect(planMigrations(db)).rejects.toThrow('has schema version 14, from before 0.1.0');
    expect(await db.query(sql`select tablename from pg_tables where schemaname = current_schema()`)).toEqual([
      { tablename: 'schema_migrations' },
    ]);
  });

  test.skipIf(engine !== engines.at(-1))(
    'ends that administrators set on keys before 0032 are found in the audit log, unless the key was rotated since',
    async () => {
      const db = await openOld(BASELINE);
      const at = (minutes: number): string => timestamp(clock.now() + minutes * 60_000);
      for (const id of ['spc_1', 'spc_2'])
        await db.query(sql`
          insert into spaces (id, name, overage_allowed, created_at) values (${id}, ${id}, true, ${at(-90)})`);
      for (const name of ['ended', 'rotated', 'free', 'later', 'gone'])
        await db.query(sql`
          insert into keys (id, space_id, kind, name, digest, hint, expires_at, created_at, revoked_at)
          values (${name}, 'spc_1', 'shared', ${name}, ${name}, '', ${at(60)}, ${at(name === 'later' ? -5 : -60)},
            ${name === 'gone' ? at(-1) : null})`);
      for (const [minutes, action, space, subject] of [
        [-50, 'keys.rotate', 'spc_1', 'ended'],
        [-40, 'keys.expire', 'spc_1', 'ended'],
        [-30, 'keys.limit', 'spc_1', 'ended'],
        [-40, 'keys.expire', 'spc_1', 'rotated'],
        [-30, 'keys.rotate', 'spc_1', 'rotated'],
        // Of another space, and of an earlier key with this name.
        [-40, 'keys.expire', 'spc_2', 'free'],
        [-40, 'keys.expire', 'spc_1', 'later'],
        [-40, 'keys.expire', 'spc_1', 'gone'],
      ] as const)
        await db.query(sql`
          insert into audit_log (at, actor, action, space_id, subject)
          values (${at(minutes)}, 'x', ${action}, ${space}, ${subject})`);
      await migrate(db, clock);
      const kept = await db.query<{ name: string }>(sql`
        select name from keys where ends_at is not null and ends_at = expires_at order by name`);
      expect(kept.map(({ name }) => name)).toEqual(['ended']);
    },
  );

  test('a function of a lower version is replaced; one of a higher version stays when an older process starts', async () => {
    const db = await open();
    expect(await start(db, answer(1, 10))).toEqual(['answer']);
    expect(await start(db, answer(2, 20))).toEqual(['answer']);
    expect(await result(db)).toBe(20);
    expect(await start(db, answer(1, 10))).toEqual([]);
    expect(await start(db, answer(2, 20))).toEqual([]);
    expect(await result(db)).toBe(20);
  });

  test('a function with another text under the same version is replaced, and a dropped one is created', async () => {
    const db = await open();
    await start(db, answer(1, 10));
    expect(await start(db, answer(1, 11))).toEqual(['answer']);
    expect(await result(db)).toBe(11);
    await db.query(sql`drop function answer()`);
    expect(await start(db, answer(1, 11))).toEqual(['answer']);
    expect(await result(db)).toBe(11);
  });

  test('a function that the database rejects leaves the previous one in place', async () => {
    const db = await open();
    await start(db, answer(1, 10));
    const broken = { name: 'answer', version: 2, script: 'create or replace function answer() returns' };
    await expect(start(db, broken)).rejects.toMatchObject({ code: '42601' });
    expect(await result(db)).toBe(10);
    expect(await start(db, answer(1, 10))).toEqual([]);
  });
});

describe.runIf(engines.includes('postgres'))('two processes that start at once', () => {
  test('bring an old database up together, and each function is replaced once', async () => {
    const place = await makePlace('postgres', { empty: true });
    const url = place.databaseUrl as string;
    const db = await openDatabase({ url, folder: place.folder, clock });
    await applyMigrations(db, BASELINE);
    const children = [1, 2].map(() => startChild('./migrate-database.ts', url));
    expect(await Promise.all(children.map((child) => child.line()))).toEqual(['open', 'open']);
    for (const child of children) child.tell('go\n');
    const applied = await Promise.all(
      children.map(async (child) => JSON.parse(await child.line()) as string[]),
    );
    const replaced = applied.flat().filter((name) => name.startsWith('functions/'));
    expect(replaced.sort()).toEqual(appliedNames);
    await Promise.all(children.map((child) => child.kill()));
    expect(await describeSchema(db)).toBe(read('schema.sql'));
    await db.close();
    await place.remove();
  });
});

describe('the files of functions', () => {
  test('versions.txt ends with the text of every function, and versions only rise', () => {
    const listed = read('functions/versions.txt')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    const versions = Map.groupBy(listed, (line) => line.split(' ')[0] as string);
    const newest = [...versions.values()].map((lines) => lines.at(-1));
    const written = readFunctions().map((one) => `${one.name} ${one.version} ${functionDigest(one)}`);
    expect(newest.sort()).toEqual(written);
    for (const lines of versions.values()) {
      const numbers = lines.map((line) => Number(line.split(' ')[1]));
      expect(numbers).toEqual(numbers.map((_, index) => index + 1));
    }
  });

  test('every function of the schema has a file, and migrations after the baseline create none', () => {
    const listed = [...read('schema.sql').matchAll(/^-- ([a-z_]+)\(/gm)].map((match) => match[1]);
    expect(listed).toEqual(readFunctions().map(({ name }) => name));
    for (const { name, version, script } of readMigrations())
      if (version > BASELINE && !NEEDED_BY_CONSTRAINTS.has(name))
        expect(script, name).not.toMatch(/create (or replace )?function/i);
  });

  test.each([...NEEDED_BY_CONSTRAINTS])('%s creates %s with the text of its file', (migration, name) => {
    const { script } = readFunctions().find((one) => one.name === name) as SchemaFunction;
    expect(read(`migrations/${migration}.sql`)).toContain(script.slice(script.indexOf('create or replace')));
  });

  test('the README of the functions names every one of them', () => {
    const readme = read('functions/README.md');
    for (const { name } of readFunctions()) expect(readme).toContain(`\`${name}\``);
  });
});

function answer(version: number, returned: number): SchemaFunction {
  const script = `create or replace function answer() returns integer language sql as $$ select ${returned} $$`;
  return { name: 'answer', version, script };
}

/** What a process with this version of the function does at its start. */
function start(db: Database, wanted: SchemaFunction): Promise<string[]> {
  return db.transaction((tx) => applyFunctions(tx, [wanted], clock.now()));
}

async function result(db: Database): Promise<number | undefined> {
  return (await db.query<{ result: number }>(sql`select answer() as result`))[0]?.result;
}

async function applyMigrations(db: Database, upTo: number): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.script(`create table schema_migrations (
      version integer primary key, name text not null, applied_at timestamptz not null,
      kind text not null default 'expand')`);
    for (const { version, name, script } of readMigrations()) {
      if (version > upTo) continue;
      await tx.script(script);
      await tx.query(
        sql`insert into schema_migrations values (${version}, ${name}, ${timestamp(clock.now())})`,
      );
    }
  });
}
