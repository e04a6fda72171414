/**
 * Keeps the SQL functions of the database equal to `functions/*.sql`. Each file holds one function and its
 * version. `schema_functions` remembers the version and the digest that the database has.
 *
 * The rule: functions are applied at start only, and the highest version wins. A process replaces a function of
 * a lower version, never one of a higher version, so an older process that restarts beside a newer one leaves
 * the newer function in place. The same version with another text is replaced too; that is for development,
 * because a released text never changes without a new version (`functions/README.md`).
 */
import { readdirSync, readFileSync } from 'node:fs';
import { sha256 } from '../kernel/digest.ts';
import type { Instant } from '../kernel/time.ts';
import { type Transaction, timestamp } from './database.ts';
import { sql } from './sql.ts';

export interface SchemaFunction {
  readonly name: string;
  readonly version: number;
  readonly script: string;
}

const FOLDER = new URL('./functions/', import.meta.url);
const FUNCTION_FILE = /^([a-z0-9_]+)\.sql$/;
const VERSION_LINE = /^-- version (\d+)\n/;

/** Every function, in the order of their names. */
export function readFunctions(): SchemaFunction[] {
  return readdirSync(FOLDER)
    .sort()
    .flatMap((file) => {
      const name = FUNCTION_FILE.exec(file)?.[1];
      if (name === undefined) return [];
      const script = readFileSync(new URL(file, FOLDER), 'utf8').replaceAll('\r\n', '\n');
      const version = VERSION_LINE.exec(script)?.[1];
      if (version === undefined) throw new Error(`functions/${file} must start with "-- version N"`);
      return [{ name, version: Number(version), script }];
    });
}

export function functionDigest({ script }: SchemaFunction): string {
  return sha256(script);
}

/** Returns the names of the functions that it replaced. The caller holds the lock of migrations. */
export async function applyFunctions(
  tx: Transaction,
  functions: readonly SchemaFunction[],
  now: Instant,
): Promise<string[]> {
  await tx.script(`create table if not exists schema_functions (
    name text primary key, version integer not null, digest text not null, applied_at timestamptz not null)`);
  const outdated = await outdatedFunctions(tx, functions);
  for (const wanted of outdated) {
    const { name, version, script } = wanted;
    await tx.script(script);
    await tx.query(sql`
      insert into schema_functions (name, version, digest, applied_at)
      values (${name}, ${version}, ${functionDigest(wanted)}, ${timestamp(now)})
      on conflict (name) do update
      set version = excluded.version, digest = excluded.digest, applied_at = excluded.applied_at`);
  }
  return outdated.map(({ name }) => name);
}

/** Those that `applyFunctions` would replace. The table `schema_functions` must exist. */
export async function outdatedFunctions(
  db: Pick<Transaction, 'query'>,
  functions: readonly SchemaFunction[],
): Promise<SchemaFunction[]> {
  const rows = await db.query<{ name: string; version: number; digest: string }>(
    sql`
    select name, version, digest from schema_functions
    where exists (select from pg_proc where proname = name and pronamespace = current_schema()::regnamespace)`,
  );
  const present = new Map(rows.map((row) => [row.name, row]));
  return functions.filter((wanted) => {
    const found = present.get(wanted.name);
    return (
      found === undefined || (found.version <= wanted.version && found.digest !== functionDigest(wanted))
    );
  });
}
