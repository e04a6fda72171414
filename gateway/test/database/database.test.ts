/** The door to SQL: two engines that answer alike, and what each does when things go wrong. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { readFunctions } from '../../src/database/apply-functions.ts';
import {
  type Database,
  DatabaseRefused,
  DatabaseUnavailable,
  timestamp,
} from '../../src/database/database.ts';
import { CALL_ANSWER_MS } from '../../src/database/deadlines.ts';
import { openEmbedded } from '../../src/database/embedded.ts';
import { migrate, readMigrations } from '../../src/database/migrate.ts';
import { openDatabase } from '../../src/database/open-database.ts';
import { openPostgres } from '../../src/database/postgres.ts';
import { sql, within } from '../../src/database/sql.ts';
import { systemClock } from '../../src/kernel/time.ts';
import { type Child, startChild } from '../chaos/child.ts';
import { engines, makePlace, type TestPlace } from '../support/engines.ts';
import { PATIENCE } from '../support/patience.ts';

const clock = systemClock;
const migrations = readMigrations().map(({ name }) => name);
const functions = readFunctions().map(({ name }) => `functions/${name}`);
const newest = readMigrations().at(-1)?.version;

/** What was said on a channel, in order, and a wait for the so-many-th word. */
class Heard {
  readonly words: string[] = [];
  #waiting: Array<{ count: number; resolve: () => void }> = [];
  readonly hear = (word: string): void => {
    this.words.push(word);
    for (const { count, resolve } of this.#waiting) if (this.words.length >= count) resolve();
  };
  until(count: number): Promise<void> {
    if (this.words.length >= count) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ count, resolve }));
  }
}

/** With several connections the operating system decides which of them answers first. */
async function openOneConnection(place: TestPlace, db: Database): Promise<Database> {
  if (place.databaseUrl === null) return db;
  return await openPostgres({ url: place.databaseUrl, clock, connectionsMax: 1 });
}

describe.each(engines)('the database on %s', (engine) => {
  let place: TestPlace;
  let db: Database;

  beforeAll(async () => {
    place = await makePlace(engine);
    db = await openDatabase({ url: place.databaseUrl, folder: place.folder, clock });
    await migrate(db, clock);
    await db.query(sql`create table notes (id integer primary key, note text)`);
  });
  afterAll(async () => {
    await db.close();
    await place.remove();
  });

  const noteIds = async (): Promise<number[]> =>
    (await db.query<{ id: number }>(sql`select id from notes order by id`)).map((row) => row.id);

  test('a statement of a call overtakes hundreds of other statements that came earlier', async () => {
    const done: string[] = [];
    const one = await openOneConnection(place, db);
    const others = Array.from({ length: 300 }, async () => {
      await one.query(sql`select 1`);
      done.push('other');
    });
    await one.query(within(CALL_ANSWER_MS, sql`select 2`));
    done.push('call');
    await Promise.all(others);
    if (one !== db) await one.close();
    // The connection was busy with an earlier statement.
    expect(done.indexOf('call')).toBeLessThanOrEqual(1);
    expect(done).toHaveLength(301);
  });

  test('rows have the same values on every engine', async () => {
    const at = Date.UTC(2026, 10, 1, 23, 59, 59, 123);
    const [row] = await db.query(sql`
      select 12345678901234567890123456.000000000001::numeric(38, 12) as amount, 0::numeric(38, 12) as nothing,
        sum(x)::numeric as total, count(*) as rows, 9007199254740991::bigint as big, 7::integer as small,
        ${timestamp(at)}::timestamptz as at, '2026-01-01 09:00:00+09'::timestamptz as korean,
        '2026-01-01 00:00:00.5+05:30'::timestamptz as halves,
        '{"a": [1, "é", null]}'::json as document, '{"b": true}'::jsonb as binary_document,
        true as yes, ${false}::boolean as no, null::numeric as unknown, null::timestamptz as never,
        'naïve 한국 🙂'::text as words, ${['a', 'b,"c"\\', '', '한']}::text[] as list,
        'x' = any (${['x', 'y']}::text[]) as member, cardinality(${[]}::text[]) as empty
      from (values (1.5), (2.25)) as v (x)`);
    expect(row).toEqual({
      amount: '12345678901234567890123456.000000000001',
      nothing: '0.000000000000',
      total: '3.75',
      rows: 2,
      big: Number.MAX_SAFE_INTEGER,
      small: 7,
      at,
      korean: Date.UTC(2026, 0, 1),
      halves: Date.UTC(2025, 11, 31, 18, 30, 0, 500),
      document: { a: [1, 'é', null] },
      binary_document: { b: true },
      yes: true,
      no: false,
      unknown: null,
      never: null,
      words: 'naïve 한국 🙂',
      list: ['a', 'b,"c"\\', '', '한'],
      member: true,
      empty: 0,
    });
  });

  test('a whole number that JavaScript cannot hold is an error, not another number', async () => {
    await expect(db.query(sql`select 9007199254740993::bigint as big`)).rejects.toThrow(
      'bigint out of range',
    );
    expect(await db.query(sql`select 1 as one`)).toEqual([{ one: 1 }]);
  });

  test('a statement the engine refuses says why by its code, and the handle works on', async () => {
    await db.query(sql`insert into notes (id) values (100)`);
    await expect(db.query(sql`insert into notes (id) values (100)`)).rejects.toMatchObject({ code: '23505' });
    await db.query(sql`delete from notes where id = 100`);
  });

  test('a transaction that throws leaves nothing behind, and its error is passed on', async () => {
    const failing = db.transaction(async (tx) => {
      await tx.query(sql`insert into notes (id) values (1)`);
      throw new Error('changed my mind');
    });
    await expect(failing).rejects.toThrow('changed my mind');
    const refusing = db.transaction(async (tx) => {
      await tx.query(sql`insert into notes (id) values (2)`);
      await tx.query(sql`insert into notes (id) values (2)`);
    });
    await expect(refusing).rejects.toMatchObject({ code: '23505' });
    expect(await noteIds()).toEqual([]);
    const answered = await db.transaction(async (tx) => {
      await tx.query(sql`insert into notes (id) values (3)`);
      return 'kept';
    });
    expect(answered).toBe('kept');
    expect(await noteIds()).toEqual([3]);
  });

  test('the outer handle inside a transaction is an error, and the transaction is undone', async () => {
    const misuses: Array<() => Promise<unknown>> = [
      async () => db.query(sql`select 1`),
      async () => db.transaction(async () => undefined),
    ];
    for (const misuse of misuses) {
      const work = db.transaction(async (tx) => {
        await tx.query(sql`insert into notes (id) values (4)`);
        await misuse();
      });
      await expect(work).rejects.toThrow('inside a transaction');
    }
    expect(await noteIds()).not.toContain(4);
  });

  test('a notification reaches every listener of its channel, and none that has stopped', async () => {
    const [one, two, other] = [new Heard(), new Heard(), new Heard()];
    const stopOne = await db.listen('news', one.hear);
    const stopTwo = await db.listen('news', two.hear);
    const stopOther = await db.listen('gossip', other.hear);
    await db.query(sql`select pg_notify('news', 'first')`);
    await Promise.all([one.until(1), two.until(1)]);
    await stopOne();
    await db.query(sql`select pg_notify('news', 'second')`);
    await db.query(sql`select pg_notify('gossip', 'third')`);
    await Promise.all([two.until(2), other.until(1)]);
    expect([one.words, two.words, other.words]).toEqual([['first'], ['first', 'second'], ['third']]);
    await Promise.all([stopTwo(), stopOther()]);
  });

  test('migrating again does nothing', async () => {
    expect(await migrate(db, clock)).toEqual([]);
  });

  const ahead = async (kind: string): Promise<unknown> => {
    await db.query(sql`
      insert into schema_migrations values (9000, '9000_future', ${timestamp(clock.now())}, ${kind})`);
    const result = await migrate(db, clock).catch((error: unknown) => error);
    await db.query(sql`delete from schema_migrations where version = 9000`);
    return result;
  };

  test('a database that a newer program changed is refused, with all versions named', async () => {
    const refusal = await ahead('contract');
    expect(refusal).toBeInstanceOf(DatabaseRefused);
    expect((refusal as Error).message).toMatch(
      new RegExp(`version 9000\\b.*only knows ${newest}\\b.*version 9000 changed`),
    );
  });

  test('a database that a newer program only expanded is accepted', async () => {
    expect(await ahead('expand')).toEqual([]);
  });

  test('a closed handle says that it is closed, and may be closed twice', async () => {
    const own = await makePlace(engine);
    const handle = await openDatabase({ url: own.databaseUrl, folder: own.folder, clock });
    await handle.close();
    await handle.close();
    await expect(handle.query(sql`select 1`)).rejects.toThrow();
    await own.remove();
  });
});

describe('an embedded data folder', () => {
  const children: Child[] = [];
  afterEach(async () => {
    await Promise.all(children.splice(0).map((child) => child.kill()));
  });

  test('a new one is migrated once, from nothing', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tollgate-test-'));
    const db = await openDatabase({ url: null, folder, clock });
    expect(await migrate(db, clock)).toEqual([...migrations, ...functions]);
    expect(await migrate(db, clock)).toEqual([]);
    await db.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('belongs to one process: a second is rejected, naming the folder, until the first is gone, even by kill -9', async () => {
    const place = await makePlace('embedded');
    const open = (): Promise<Database> => openDatabase({ url: null, folder: place.folder, clock });
    const holder = startChild('./hold-folder.ts', place.folder);
    children.push(holder);
    expect(await holder.line()).toBe('open');
    const refusal = await open().catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(DatabaseRefused);
    expect((refusal as Error).message).toContain(`${place.folder} is in use by another tollgate process`);
    await holder.kill();
    const db = await open();
    expect(await db.query(sql`select count(*) as spaces from spaces`)).toEqual([{ spaces: 0 }]);
    await expect(open()).rejects.toBeInstanceOf(DatabaseRefused);
    await db.close();
    await place.remove();
  });

  test('in which the lock cannot be opened is rejected with the reason, and not as if another process used it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tollgate-test-'));
    mkdirSync(join(folder, 'lock'));
    const opening = openDatabase({ url: null, folder, clock });
    await expect(opening).rejects.toThrow(
      `The file ${join(folder, 'lock')} cannot be locked: unable to open database file.`,
    );
    rmSync(folder, { recursive: true, force: true });
  });
});

describe('an embedded engine that is restarted', () => {
  test('has all rows, keeps its listeners, and answers statements that came meanwhile; nobody hears of a loss', async () => {
    const place = await makePlace('embedded');
    const lost: Error[] = [];
    const db = await openEmbedded({ folder: place.folder, clock, onLost: (error) => void lost.push(error) });
    await db.query(sql`create table kept (id integer)`);
    const heard = new Heard();
    await db.listen('news', heard.hear);
    const before = db.query(sql`insert into kept values (1)`);
    const restarted = db.restart?.();
    const meanwhile = db.transaction(async (tx) => await tx.query(sql`select id from kept`));
    await Promise.all([before, restarted]);
    expect(await meanwhile).toEqual([{ id: 1 }]);
    await db.query(sql`select pg_notify('news', 'still there')`);
    await heard.until(1);
    expect(heard.words).toEqual(['still there']);
    await expect(db.transaction(async () => await db.restart?.())).rejects.toThrow('inside a transaction');
    expect(lost).toEqual([]);
    await db.close();
    await place.remove();
  });
});

describe('an embedded engine that hangs', () => {
  test('is opened again: who waited hears that it is unavailable, what was committed is there', async () => {
    const place = await makePlace('embedded');
    const lost: Error[] = [];
    const db = await openEmbedded({
      ...{ folder: place.folder, clock, hungMs: 1_500 },
      onLost: (error) => void lost.push(error),
    });
    await db.query(sql`create table kept (id integer)`);
    await db.query(sql`insert into kept values (1)`);
    const heard = new Heard();
    await db.listen('news', heard.hear);
    const endless = db.query(sql`do $$ begin loop end loop; end $$`);
    const behind = db.query(sql`select id from kept`);
    await expect(endless).rejects.toBeInstanceOf(DatabaseUnavailable);
    await expect(behind).rejects.toBeInstanceOf(DatabaseUnavailable);
    await expect
      .poll(() => db.query(sql`select id from kept`).catch(() => null), PATIENCE)
      .toEqual([{ id: 1 }]);
    await heard.until(1);
    expect(lost.length).toBeGreaterThan(0);
    await db.close();
    await place.remove();
  });
});

describe.runIf(engines.includes('postgres'))('PostgreSQL in trouble', () => {
  let place: TestPlace;
  let db: Database;
  const lost: Error[] = [];

  beforeAll(async () => {
    place = await makePlace('postgres');
    const onLost = (error: Error): void => void lost.push(error);
    db = await openDatabase({ url: place.databaseUrl, folder: place.folder, clock, onLost });
  });
  afterAll(async () => {
    await db.close();
    await place.remove();
  });

  test('two processes that migrate one new database at once both succeed, and each step runs once', async () => {
    const own = await makePlace('postgres', { empty: true });
    const children = [1, 2].map(() => startChild('./migrate-database.ts', own.databaseUrl as string));
    expect(await Promise.all(children.map((child) => child.line()))).toEqual(['open', 'open']);
    for (const child of children) child.tell('go\n');
    const ran = await Promise.all(children.map(async (child) => JSON.parse(await child.line()) as string[]));
    expect(ran.flat().sort()).toEqual([...migrations, ...functions].sort());
    await Promise.all(children.map((child) => child.kill()));
    await own.remove();
  });

  test('a listener whose connection is cut listens again, and gets an empty notification so that it looks for itself', async () => {
    const heard = new Heard();
    const stop = await db.listen('news', heard.hear);
    for (const round of [0, 1]) {
      const cut = await db.query(sql`
        select pg_terminate_backend(pid) as cut from pg_stat_activity
        where datname = current_database() and query like 'listen%'`);
      expect(cut).toEqual([{ cut: true }]);
      await heard.until(round * 2 + 1);
      await db.query(sql`select pg_notify('news', 'back')`);
      await heard.until(round * 2 + 2);
    }
    expect(heard.words).toEqual(['', 'back', '', 'back']);
    await stop();
  });

  test('a statement whose connection is cut fails as unavailable, and the next one works', async () => {
    const cut = db.query(sql`select pg_terminate_backend(pg_backend_pid())`);
    await expect(cut).rejects.toBeInstanceOf(DatabaseUnavailable);
    expect(await db.query(sql`select 1 as one`)).toEqual([{ one: 1 }]);
  });

  test('a transaction whose connection is cut fails as unavailable, at whichever step it notices', async () => {
    await db.query(sql`create table if not exists cuts (id integer)`);
    const self = sql`select pg_terminate_backend(pg_backend_pid())`;
    const during = db.transaction(async (tx) => {
      await tx.query(sql`insert into cuts values (1)`);
      await tx.query(self);
    });
    await expect(during).rejects.toBeInstanceOf(DatabaseUnavailable);
    const between = db.transaction(async (tx) => {
      await tx.query(sql`insert into cuts values (2)`);
      await tx.query(self).catch(() => undefined);
    });
    await expect(between).rejects.toBeInstanceOf(DatabaseUnavailable);
    expect(await db.query(sql`select id from cuts`)).toEqual([]);
  });

  test('a server that cannot be reached is unavailable', async () => {
    const url = 'postgres://nobody@127.0.0.1:1/nothing';
    const opening = openDatabase({ url, folder: place.folder, clock });
    await expect(opening).rejects.toBeInstanceOf(DatabaseUnavailable);
  });
});
