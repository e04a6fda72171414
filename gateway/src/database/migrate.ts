/**
 * Migrates the schema to the version of this program, forwards only. Each migration runs in a transaction together with
 * the row that records it; processes that start together take turns.
 */
import { readdirSync, readFileSync } from 'node:fs';
import type { Clock } from '../kernel/time.ts';
import { type Database, DatabaseRefused, type Transaction, timestamp } from './database.ts';
import { LONGEST_ANSWER_MS } from './deadlines.ts';
import { sql } from './sql.ts';

interface Migration {
  readonly version: number;
  readonly name: string;
  readonly script: string;
}

const FOLDER = new URL('./migrations/', import.meta.url);
const FILE = /^(\d{4})_([a-z0-9_]+)\.sql$/;
/** Any number that no other program on the same server uses. */
const TURN = 7_461_155;

/** Returns the names of the migrations that were run. */
export async function migrate(database: Database, clock: Clock): Promise<string[]> {
  const migrations = readMigrations();
  const ran: string[] = [];
  for (const migration of migrations) {
    const done = await database.transaction(
      async (tx) => {
        const current = await schemaVersion(tx);
        const newest = migrations.at(-1)?.version ?? 0;
        if (current > newest) {
          throw new DatabaseRefused(
            `The database has schema version ${current}, but this tollgate only knows ${newest}. ` +
              'Run the newer version of tollgate that wrote it.',
          );
        }
        if (current >= migration.version) return false;
        await tx.script(migration.script);
        await tx.query(sql`
        insert into schema_migrations (version, name, applied_at)
        values (${migration.version}, ${migration.name}, ${timestamp(clock.now())})`);
        return true;
      },
      { timeoutMs: LONGEST_ANSWER_MS },
    );
    if (done) ran.push(migration.name);
  }
  return ran;
}

/** Takes a lock for the transaction, so that no other process migrates meanwhile. */
async function schemaVersion(tx: Transaction): Promise<number> {
  await tx.query(sql`select pg_advisory_xact_lock(${TURN})`);
  await tx.script(`create table if not exists schema_migrations (
    version integer primary key, name text not null, applied_at timestamptz not null)`);
  const [row] = await tx.query<{ version: number }>(
    sql`select coalesce(max(version), 0) as version from schema_migrations`,
  );
  return row?.version ?? 0;
}

function readMigrations(): Migration[] {
  return readdirSync(FOLDER)
    .sort()
    .flatMap((file) => {
      const match = FILE.exec(file);
      if (match === null) return [];
      const script = readFileSync(new URL(file, FOLDER), 'utf8');
      return [{ version: Number(match[1]), name: file.replace('.sql', ''), script }];
    });
}
