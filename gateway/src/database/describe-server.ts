/** What an operator should know about the database before a start. Changes nothing. */
import type { Instant } from '../kernel/time.ts';
import type { Database } from './database.ts';
import { contractAfter, newestSchema, readMigrations, schemaVersion } from './migrate.ts';
import { sql } from './sql.ts';

export interface DatabaseFacts {
  /** Such as `16.4`, and as a number such as 160004. */
  readonly version: string;
  readonly versionNumber: number;
  readonly user: string;
  /** Where tables are created; null: the user may use none of those in its search_path. */
  readonly schema: string | null;
  /** Whether this user may create tables in the schema. */
  readonly mayCreate: boolean;
  /** Tables in the schema that this user may not both read and change. */
  readonly closedTables: number;
  readonly fsync: boolean;
  readonly synchronousCommit: string;
  readonly now: Instant;
  /** Migrations that the next start would run; null: the database is new, or this user may not read what ran. */
  readonly pending: number | null;
  /** The version of the schema, if it is newer than this program. */
  readonly newer: number | null;
  /** The newer migration because of which this program cannot use the database. */
  readonly contract: number | null;
}

interface Row {
  readonly version: string;
  readonly version_number: string;
  readonly user: string;
  readonly schema: string | null;
  readonly may_create: boolean;
  readonly closed_tables: string;
  readonly fsync: string;
  readonly synchronous_commit: string;
  readonly now_ms: string;
  readonly migrated: boolean;
}

export async function describeServer(db: Database): Promise<DatabaseFacts> {
  const [row] = await db.query<Row>(sql`
    select current_setting('server_version') as version,
      current_setting('server_version_num') as version_number,
      current_user as user, current_schema() as schema,
      coalesce(has_schema_privilege(current_schema(), 'create'), false) as may_create,
      (select count(*) from pg_class where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')
        and not (has_table_privilege(oid, 'select') and has_table_privilege(oid, 'insert')
          and has_table_privilege(oid, 'update') and has_table_privilege(oid, 'delete')))::text as closed_tables,
      current_setting('fsync') as fsync,
      current_setting('synchronous_commit') as synchronous_commit,
      (extract(epoch from clock_timestamp()) * 1000)::text as now_ms,
      coalesce(has_table_privilege(to_regclass('schema_migrations'), 'select'), false) as migrated`);
  if (row === undefined) throw new Error('the database gave no answer');
  const applied = row.migrated ? await schemaVersion(db) : null;
  const known = readMigrations().map(({ version }) => version);
  const newest = newestSchema();
  return {
    version: row.version,
    versionNumber: Number(row.version_number),
    user: row.user,
    schema: row.schema,
    mayCreate: row.may_create,
    closedTables: Number(row.closed_tables),
    fsync: row.fsync === 'on',
    synchronousCommit: row.synchronous_commit,
    now: Number(row.now_ms),
    pending: applied === null ? null : known.filter((version) => version > applied).length,
    newer: applied !== null && applied > newest ? applied : null,
    contract: await contractAfter(db, applied ?? 0, newest),
  };
}
