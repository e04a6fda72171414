/** Migrations say what they mean for programs that run meanwhile, and those that promise to be unnoticed are. */
import { expect, test } from 'vitest';
import { readMigrations } from '../../src/database/migrate.ts';
import { migrationFacts } from '../../src/database/migration-facts.ts';
import { noticedStatements } from '../support/expand-statements.ts';

const migrations = readMigrations();

test.each(migrations)('$name says what it locks and how long it may take', (migration) => {
  const { kind, locks, takes } = migrationFacts(migration);
  expect(['expand', 'contract']).toContain(kind);
  for (const text of [locks, takes]) expect(text).toMatch(/^[a-z].*[^.]$/);
});

test.each(migrations)(
  '$name has only statements that the previous version does not notice, or says so',
  (migration) => {
    const noticed = noticedStatements(migration.script);
    if (migrationFacts(migration).kind === 'expand') expect(noticed).toEqual([]);
    else expect(noticed).not.toEqual([]);
  },
);

test('an update of a new column and of an old one is noticed', () => {
  const update = 'update a set b = 1, c = 2 where b is null';
  expect(noticedStatements(`alter table a add column b text; ${update};`)).toEqual([update]);
  expect(noticedStatements(`alter table x add column b text, add column c text; ${update};`)).toEqual([
    update,
  ]);
});

test('a migration without its facts is rejected', () => {
  const script = 'create table a (b text);';
  expect(() => migrationFacts({ name: '9000_a', script })).toThrow('9000_a must start with');
});

test.each([
  "create table a (b text not null check (b <> ';'), c integer references d (e))",
  'create table a (b text); create unique index a_b on a (b); insert into a values (1); alter table a add check (true)',
  'create index if not exists a_b on a (b) where c is null',
  'create statistics a_b on (c(d)) from a',
  'alter table a add column b text',
  "alter table a add column b numeric(38, 12), add column c text not null default 'x;y, not null'",
  'alter table a add column b text, add column c text; update a z set b = z.d, c = d(e, f) from g where h = 1',
  'create table a (b text); create trigger a_changed before insert or delete on a for each statement execute function c()',
])('the previous version does not notice: %s', (script) => {
  expect(noticedStatements(`-- A comment; drop table x.\n${script};\n`)).toEqual([]);
});

test.each([
  'drop table a',
  'drop index a_b',
  'alter table a drop column b',
  'alter table a rename column b to c',
  'alter table a alter column b set not null',
  'alter table a add column b text not null',
  'alter table a add column b text unique',
  'alter table a add column b integer check (b > 0)',
  'alter table a add column b text, add constraint c check (b is null)',
  'create unique index a_b on a (b)',
  'create trigger a_changed after insert on a for each row execute function b()',
  'update a set b = 1',
  'update a z set b = 1, c = 2 from d where b = c',
  'delete from a',
])('the previous version may notice: %s', (script) => {
  expect(noticedStatements(script)).toEqual([script]);
});
