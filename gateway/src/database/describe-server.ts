/** What an operator should know about the database before a start. Changes nothing. */
import type { Instant } from '../kernel/time.ts';
import type { Database } from './database.ts';
import { readMigrations } from './migrate.ts';
import { sql } from './sql.ts';

export interface DatabaseFacts {
  /** Such as `16.4`, and as a number such as 160004. */
  readonly version: string;
  readonly versionNumber: number;
  /** Whether this user may create tables in the schema. */
  readonly mayCreate: boolean;
  readonly fsync: boolean;
  readonly synchronousCommit: string;
  readonly now: Instant;
  /** Migrations that the next start would run; null: the database is new. */
  readonly pending: number | null;
  /** The version of the schema, if it is newer than this program. */
  readonly newer: number | null;
}

interface Row {
  readonly version: string;
  readonly version_number: string;
  readonly may_create: boolean;
  readonly fsync: string;
  readonly synchronous_commit: string;
  readonly now_ms: string;
  readonly migrated: boolean;
}

export async function describeServer(db: Database): Promise<DatabaseFacts> {
  const [row] = await db.query<Row>(sql`
    select current_setting('server_version') as version,
      current_setting('server_version_num') as version_number,
      coalesce(has_schema_privilege(current_schema(), 'create'), false) as may_create,
      current_setting('fsync') as fsync,
      current_setting('synchronous_commit') as synchronous_commit,
      (extract(epoch from clock_timestamp()) * 1000)::text as now_ms,
      to_regclass('schema_migrations') is not null as migrated`);
  if (row === undefined) throw new Error('the database gave no answer');
  const applied = row.migrated ? await appliedVersion(db) : null;
  const known = readMigrations().map(({ version }) => version);
  const newest = known.at(-1) ?? 0;
  return {
    version: row.version,
    versionNumber: Number(row.version_number),
    mayCreate: row.may_create,
    fsync: row.fsync === 'on',
    synchronousCommit: row.synchronous_commit,
    now: Number(row.now_ms),
    pending: applied === null ? null : known.filter((version) => version > applied).length,
    newer: applied !== null && applied > newest ? applied : null,
  };
}

async function appliedVersion(db: Database): Promise<number> {
  const [row] = await db.query<{ version: number }>(
    sql`select coalesce(max(version), 0) as version from schema_migrations`,
  );
  return row?.version ?? 0;
}
