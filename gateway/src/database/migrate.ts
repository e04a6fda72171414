/**
 * Brings the schema up to this program, forwards only: first the migrations, then the functions. Each migration
 * runs in a transaction together with the row that records it, and the functions in the transaction of the newest
 * migration. Processes that start at the same time take turns.
 */
import { readdirSync, readFileSync } from 'node:fs';
import type { Clock } from '../kernel/time.ts';
import { applyFunctions, outdatedFunctions, readFunctions } from './apply-functions.ts';
import { type Database, DatabaseRefused, type Transaction, timestamp } from './database.ts';
import { LONGEST_ANSWER_MS } from './deadlines.ts';
import { functionFacts, type MigrationFacts, migrationFacts } from './migration-facts.ts';
import { sql } from './sql.ts';

export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly script: string;
}

const FOLDER = new URL('./migrations/', import.meta.url);
const MIGRATION_FILE = /^(\d{4})_([a-z0-9_]+)\.sql$/;
/** The key of the advisory lock; any number that no other program on the same server uses. */
const MIGRATION_LOCK = 7_461_155;
const INSUFFICIENT_PRIVILEGE = '42501';

/** Returns the names of the migrations it ran and of the functions it replaced (`functions/record_calls`). */
export async function migrate(database: Database, clock: Clock): Promise<string[]> {
  try {
    return await migrateAll(database, clock);
  } catch (error) {
    const { code, message } = error as Error & { code?: string };
    if (code !== INSUFFICIENT_PRIVILEGE) throw error;
    throw new DatabaseRefused(
      `The user in DATABASE_URL has too few rights to migrate the database (${message}). ` +
        '"tollgate doctor" says which it needs.',
      { cause: error },
    );
  }
}

async function migrateAll(database: Database, clock: Clock): Promise<string[]> {
  const migrations = readMigrations();
  const functions = readFunctions();
  const newest = migrations.at(-1)?.version ?? 0;
  const applied: string[] = [];
  let current = 0;
  for (const migration of migrations) {
    // Versions only grow. A transaction for each migration that ran long ago took most of the time of a start.
    if (migration.version <= current && migration.version < newest) continue;
    const names = await database.transaction(
      async (tx) => {
        current = await lockedSchemaVersion(tx);
        const ran = await runMigration(tx, migration, { current, newest, clock });
        if (migration.version < newest) return ran;
        // In the same transaction, so that the newest tables are never visible with older functions.
        const replaced = await applyFunctions(tx, functions, clock.now());
        return [...ran, ...replaced.map((name) => `functions/${name}`)];
      },
      { timeoutMs: LONGEST_ANSWER_MS },
    );
    applied.push(...names);
  }
  return applied;
}

async function runMigration(
  tx: Transaction,
  { version, name, script }: Migration,
  { current, newest, clock }: { current: number; newest: number; clock: Clock },
): Promise<string[]> {
  await checkVersion(tx, current, newest);
  if (current >= version) return [];
  await tx.script(script);
  const { kind } = migrationFacts({ name, script });
  await tx.query(sql`
    insert into schema_migrations (version, name, applied_at, kind)
    values (${version}, ${name}, ${timestamp(clock.now())}, ${kind})`);
  return [name];
}

/** Creates the schema of a version in an empty database. Functions are those of this program. */
export async function migrateTo(tx: Transaction, version: number, clock: Clock): Promise<void> {
  checkAge(version);
  const wanted = readMigrations().filter((migration) => migration.version <= version);
  for (const migration of wanted) {
    const current = await lockedSchemaVersion(tx);
    await runMigration(tx, migration, { current, newest: version, clock });
  }
  await applyFunctions(tx, readFunctions(), clock.now());
}

/** The version that this program brings databases to. */
export function newestSchema(): number {
  return readMigrations().at(-1)?.version ?? 0;
}

/** A step of a migration that did not run yet. */
export interface PlannedStep extends MigrationFacts {
  /** As `migrate` returns it. */
  readonly name: string;
}

/** What `migrate` would do now. Changes nothing, and takes no lock. */
export async function planMigrations(database: Database): Promise<PlannedStep[]> {
  const migrations = readMigrations();
  const [found] = await database.query<{ migrations: boolean; functions: boolean }>(sql`
    select to_regclass('schema_migrations') is not null as migrations,
      to_regclass('schema_functions') is not null as functions`);
  const current = found?.migrations ? await schemaVersion(database) : 0;
  await checkVersion(database, current, migrations.at(-1)?.version ?? 0);
  const all = readFunctions();
  const functions = found?.functions ? await outdatedFunctions(database, all) : all;
  const pending = migrations.filter(({ version }) => version > current);
  return [
    ...pending.map((migration) => ({ name: migration.name, ...migrationFacts(migration) })),
    ...functions.map(({ name }) => ({ name: `functions/${name}`, ...functionFacts })),
  ];
}

/** A schema that was only expanded is as good as the own one: two versions may run at the same time, and start again. */
async function checkVersion(db: Pick<Transaction, 'query'>, current: number, newest: number): Promise<void> {
  if (current > 0) checkAge(current);
  const changed = await contractAfter(db, current, newest);
  if (changed === null) return;
  throw new DatabaseRefused(
    `The database has schema version ${current}, but this tollgate only knows ${newest}, ` +
      `and version ${changed} changed what it uses. ` +
      'Run the newer version of tollgate that wrote it.',
  );
}

/** The first migration is a baseline: what led to it is not known any more. */
function checkAge(version: number): void {
  const oldest = readMigrations()[0]?.version ?? 0;
  if (version >= oldest) return;
  throw new DatabaseRefused(
    `The database or backup has schema version ${version}, from before 0.1.0. This tollgate can migrate version ` +
      `${oldest} and newer. Open it with the version of tollgate that wrote it.`,
  );
}

/** The first version after `newest` that did more than to expand the schema; null if this program can work with it. */
export async function contractAfter(
  db: Pick<Transaction, 'query'>,
  current: number,
  newest: number,
): Promise<number | null> {
  if (current <= newest) return null;
  const [found] = await db.query<{ version: number }>(sql`
    select version from schema_migrations where version > ${newest} and kind <> 'expand' order by version limit 1`);
  return found?.version ?? null;
}

/** Takes the lock of migrations until the transaction ends, so that no other process migrates meanwhile. */
async function lockedSchemaVersion(tx: Transaction): Promise<number> {
  await tx.query(sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`);
  await tx.script(`create table if not exists schema_migrations (
    version integer primary key, name text not null, applied_at timestamptz not null,
    kind text not null default 'expand')`);
  return await schemaVersion(tx);
}

/** Of a database that was migrated. */
export async function schemaVersion(db: Pick<Transaction, 'query'>): Promise<number> {
  const [row] = await db.query<{ version: number }>(
    sql`select coalesce(max(version), 0) as version from schema_migrations`,
  );
  return row?.version ?? 0;
}

/** Every migration, oldest first. */
export function readMigrations(): Migration[] {
  return readdirSync(FOLDER)
    .sort()
    .flatMap((file) => {
      const match = MIGRATION_FILE.exec(file);
      if (match === null) return [];
      const script = readFileSync(new URL(file, FOLDER), 'utf8');
      return [{ version: Number(match[1]), name: file.replace('.sql', ''), script }];
    });
}
