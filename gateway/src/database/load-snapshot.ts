/**
 * Writes the rows of a snapshot (`snapshot.ts`) into an empty database, in one transaction: afterwards everything is
 * there, or nothing. The schema is that of the snapshot, whatever this program's is.
 */
import type { Clock } from '../kernel/time.ts';
import { type Database, DatabaseRefused, type Transaction } from './database.ts';
import { LONGEST_ANSWER_MS } from './deadlines.ts';
import { migrateTo } from './migrate.ts';
import { listTables, quotedName, type SequencePosition, type TableFacts } from './snapshot.ts';
import { sql } from './sql.ts';

export interface SnapshotLoader {
  /** Rows as `readRows` gave them, with the columns in this order. */
  insert(table: { name: string; columns: readonly string[] }, rows: readonly string[]): Promise<void>;
}

/** Throws, with the reason, if the database has tables. */
export async function requireEmptyDatabase(db: Pick<Database, 'query'>): Promise<void> {
  const [found] = await db.query<{ tables: number }>(sql`
    select count(*) as tables from pg_class
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')`);
  if (found?.tables === 0) return;
  throw new DatabaseRefused(
    'The database is not empty. A backup is restored only into an empty database, so that nothing is overwritten: ' +
      'create a new PostgreSQL database (DATABASE_URL), or name a new data folder with --data.',
  );
}

export async function loadSnapshot(
  db: Database,
  from: { schema: number; sequences: readonly SequencePosition[]; clock: Clock },
  load: (loader: SnapshotLoader) => Promise<void>,
): Promise<void> {
  await db.transaction(
    async (tx) => {
      await requireEmptyDatabase(tx);
      await migrateTo(tx, from.schema, from.clock);
      const tables = await listTables(tx);
      // They notify other processes and count changes, which are rows of the snapshot already.
      for (const { name } of tables) await tx.script(`alter table ${quotedName(name)} disable trigger user`);
      // Migrations insert some rows themselves.
      for (const { name } of tables.toReversed()) await tx.script(`delete from ${quotedName(name)}`);
      await load({ insert: (table, rows) => insertRows(tx, tables, { ...table, rows }) });
      for (const { name } of tables) await tx.script(`alter table ${quotedName(name)} enable trigger user`);
      for (const { name, last, called } of from.sequences)
        await tx.query(sql`select setval(quote_ident(${name})::regclass, ${last}::bigint, ${called})`);
    },
    { timeoutMs: LONGEST_ANSWER_MS },
  );
}

async function insertRows(
  tx: Transaction,
  tables: readonly TableFacts[],
  { name, columns, rows }: { name: string; columns: readonly string[]; rows: readonly string[] },
): Promise<void> {
  const table = tables.find((one) => one.name === name);
  const values = columns.map((column, index) => {
    const type = table?.types[table.columns.indexOf(column)];
    if (type === undefined)
      throw new DatabaseRefused(`The backup has a column ${name}.${column}, which its schema has not.`);
    return `(v->>${index})::${type}`;
  });
  await tx.query({
    text: `insert into ${quotedName(name)} (${columns.map(quotedName).join(', ')}) overriding system value
      select ${values.join(', ')} from jsonb_array_elements($1::jsonb) as v`,
    values: [`[${rows.join(',')}]`],
  });
}
