/** Everything a database holds, so that a test can say that nothing changed. */
import { type Sql, sql } from '../../src/database/sql.ts';
import type { TestGateway } from './gateway.ts';
import { settleAll } from './settle-all.ts';

/** Rejected requests are written a moment later, whatever the request was, and the lease of the process is renewed. */
const WRITTEN_LATER = ['refusals', 'processes'];

/** Alerts are noticed and sent in the background. Tests of targets are not, nor what was given up after all attempts. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  jobs: "where kind not like 'alert%'",
  events: "where kind = 'test'",
  deliveries: "where state = 'failed' and attempts = 10",
};

/** When somebody was last seen is written once a minute, whatever they ask for. */
const SEEN: Readonly<Record<string, string>> = { sessions: 'last_seen_at', admin_tokens: 'last_used_at' };

/** A digest of the rows of every table. Pays for all calls first, which would be done a moment later. */
export async function readDigests({ query }: Pick<TestGateway, 'query'>): Promise<Record<string, string>> {
  await settleAll({ query });
  const rows = await query<Held>(everyTable(await tablesOf(query), digestOf));
  return Object.fromEntries(rows.map(({ name, held }) => [name, held]));
}

/** The rows of every table as one text, for tests that look for a secret. */
export async function readEverything({ query }: Pick<TestGateway, 'query'>): Promise<string> {
  const rows = await query<Held>(everyTable(await tablesOf(query), (name) => rowsOf(name, 't::text')));
  return rows.map(({ name, held }) => `${name}: ${held}`).join('\n');
}

interface Held {
  readonly name: string;
  readonly held: string;
}

/** One statement for all tables: dozens of them would take most of the time of a test. */
function everyTable(tables: readonly string[], select: (name: string) => string): Sql {
  return { text: tables.map(select).join(' union all '), values: [] };
}

function digestOf(name: string): string {
  const seen = SEEN[name];
  const row = seen === undefined ? 't::text' : `(to_jsonb(t) - '${seen}')::text`;
  return rowsOf(name, row, (rows) => `md5(${rows})`);
}

function rowsOf(name: string, row: string, shown = (rows: string): string => rows): string {
  const rows = `coalesce(string_agg(${row}, ';' order by ${row}), '')`;
  return `select '${name}' as name, ${shown(rows)} as held from "${name}" t ${LEFT_OUT[name] ?? ''}`;
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
