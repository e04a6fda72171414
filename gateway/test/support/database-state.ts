/** Everything a database holds, so that a test can say that nothing changed. */
import { type Sql, sql } from '../../src/database/sql.ts';
import type { TestGateway } from './gateway.ts';

/** Rejected requests are written a moment later, whatever the request was. */
const WRITTEN_LATER = ['refusals'];

/** A digest of the rows of every table. */
export async function readDigests({ query }: Pick<TestGateway, 'query'>): Promise<Record<string, string>> {
  const rows = await query<Held>(everyTable(await tablesOf(query), (held) => `md5(${held})`));
  return Object.fromEntries(rows.map(({ name, held }) => [name, held]));
}

/** The rows of every table as one text, for tests that look for a secret. */
export async function readEverything({ query }: Pick<TestGateway, 'query'>): Promise<string> {
  const rows = await query<Held>(everyTable(await tablesOf(query), (held) => held));
  return rows.map(({ name, held }) => `${name}: ${held}`).join('\n');
}

interface Held {
  readonly name: string;
  readonly held: string;
}

/** One statement for all tables: dozens of them would take most of the time of a test. */
function everyTable(tables: readonly string[], shown: (rows: string) => string): Sql {
  const rows = shown(`coalesce(string_agg(t::text, ';' order by t::text), '')`);
  const selects = tables.map((name) => `select '${name}' as name, ${rows} as held from "${name}" t`);
  return { text: selects.join(' union all '), values: [] };
}

/** The same in every database of a run. */
let known: readonly string[] | null = null;

async function tablesOf(query: TestGateway['query']): Promise<readonly string[]> {
  known ??= (
    await query<{ name: string }>(sql`
      select table_name::text as name from information_schema.tables
      where table_schema = 'public' and table_type = 'BASE TABLE' order by 1`)
  ).flatMap(({ name }) => (WRITTEN_LATER.includes(name) ? [] : [name]));
  return known;
}
