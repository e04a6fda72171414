/**
 * Reads all tables from one snapshot, row by row as text, in a form that both engines write and read alike: a row is one
 * JSON list of the texts of its columns. Unlogged tables and the records of migrations are left out.
 */
import type { Database, Transaction } from './database.ts';
import { LONGEST_ANSWER_MS } from './deadlines.ts';
import { type Sql, sql } from './sql.ts';

export interface TableFacts {
  readonly name: string;
  readonly columns: readonly string[];
  /** The SQL type of each column. */
  readonly types: readonly string[];
  /** Its rows may be larger than a page. */
  readonly large: boolean;
}

export interface SequencePosition {
  readonly name: string;
  /** The last number, as text. */
  readonly last: string;
  readonly called: boolean;
}

/** Rows read at once. Rows of a large table have up to some megabytes, so that few of them are held in memory. */
const ROWS_MAX = 500;
const LARGE_ROWS_MAX = 16;

/** Everything that `work` reads is from one moment. It changes nothing, and no other transaction waits for it. */
export async function readSnapshot<T>(db: Database, work: (tx: Transaction) => Promise<T>): Promise<T> {
  return await db.transaction(
    async (tx) => {
      await tx.script(`set transaction isolation level repeatable read, read only; ${SAME_TEXTS}`);
      return await work(tx);
    },
    { timeoutMs: LONGEST_ANSWER_MS },
  );
}

/** The texts of values depend on these settings. */
const SAME_TEXTS = `set local datestyle = 'ISO, YMD'; set local timezone = 'UTC'; set local intervalstyle = 'postgres';
  set local bytea_output = 'hex'; set local extra_float_digits = 1`;

/** All tables with rows to keep; a table comes after those that it refers to. */
export async function listTables(tx: Transaction): Promise<TableFacts[]> {
  const tables = await tx.query<TableFacts>(sql`
    select c.relname::text as name, coalesce(pg_relation_size(nullif(c.reltoastrelid, 0)), 0) > 0 as large,
      array_agg(a.attname::text order by a.attnum) as columns,
      array_agg(format_type(a.atttypid, a.atttypmod) order by a.attnum) as types
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and c.relpersistence = 'p'
      and c.relname not in ('schema_migrations', 'schema_functions')
    group by c.oid, c.relname, c.reltoastrelid order by c.relname collate "C"`);
  const references = await tx.query<{ from: string; to: string }>(sql`
    select f.relname::text as "from", t.relname::text as "to" from pg_constraint k
    join pg_class f on f.oid = k.conrelid join pg_class t on t.oid = k.confrelid
    where k.contype = 'f' and f.oid <> t.oid and f.relnamespace = current_schema()::regnamespace`);
  return inOrder(tables, references);
}

function inOrder(
  tables: readonly TableFacts[],
  references: ReadonlyArray<{ from: string; to: string }>,
): TableFacts[] {
  const ordered: TableFacts[] = [];
  const waiting = new Set(tables);
  while (waiting.size > 0) {
    const names = new Set([...waiting].map(({ name }) => name));
    const free = [...waiting].filter(
      ({ name }) => !references.some(({ from, to }) => from === name && names.has(to)),
    );
    if (free.length === 0) throw new Error(`these tables refer to each other: ${[...names].join(', ')}`);
    for (const table of free) {
      ordered.push(table);
      waiting.delete(table);
    }
  }
  return ordered;
}

/** The rows of a table, some at a time. */
export async function* readRows(tx: Transaction, table: TableFacts): AsyncGenerator<readonly string[]> {
  const values = table.columns.map((name) => `${quotedName(name)}::text`).join(', ');
  await tx.script(
    `declare table_rows no scroll cursor for select to_json(array[${values}]::text[])::text as line from ${quotedName(table.name)}`,
  );
  const next: Sql = {
    text: `fetch forward ${table.large ? LARGE_ROWS_MAX : ROWS_MAX} from table_rows`,
    values: [],
  };
  for (;;) {
    const rows = await tx.query<{ line: string }>(next);
    if (rows.length === 0) break;
    yield rows.map(({ line }) => line);
  }
  await tx.script('close table_rows');
}

/** Read them after the rows: a sequence is never behind the rows that use it. */
export async function readSequences(tx: Transaction): Promise<SequencePosition[]> {
  const names = await tx.query<{ name: string }>(sql`
    select relname::text as name from pg_class
    where relnamespace = current_schema()::regnamespace and relkind = 'S' order by 1`);
  const positions: SequencePosition[] = [];
  for (const { name } of names) {
    const [found] = await tx.query<{ last: string; called: boolean }>({
      text: `select last_value::text as last, is_called as called from ${quotedName(name)}`,
      values: [],
    });
    if (found !== undefined) positions.push({ name, ...found });
  }
  return positions;
}

export function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
