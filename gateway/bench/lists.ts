/**
 * Measures every list of administration with ten million calls: `npm run bench:lists`. `--rows N` makes fewer calls,
 * `--only WORDS` measures the lists whose title holds the words, `--write` puts the figures into docs/performance.md,
 * `--database URL` uses an empty database, or one that an earlier run has filled.
 */
import { parseArgs } from 'node:util';
import pg from 'pg';
import { type Database, timestamp } from '../src/database/database.ts';
import { migrate } from '../src/database/migrate.ts';
import { openDatabase } from '../src/database/open-database.ts';
import { sql } from '../src/database/sql.ts';
import { systemClock } from '../src/kernel/time.ts';
import { startDatabase } from './database.ts';
import { quantile } from './figures.ts';
import { type ListQuestion, listQuestions } from './list-questions.ts';
import { KEYS, MEMBERS, makeListRows, SPACES } from './list-rows.ts';
import { machineText } from './method.ts';
import { print, publish, say } from './publish.ts';
import { Stage } from './stage.ts';
import type { Table } from './table.ts';

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '10000000' },
    only: { type: 'string', default: '' },
    database: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
});
const P50_MS_MAX = 50;
const ASKED = 50;
const WARM_UP = 3;

async function measureLists(db: Database, calls: number): Promise<Table> {
  const now = await filledAt(db, calls);
  const questions = (await listQuestions(db, now)).filter(({ title }) => title.includes(values.only));
  const rows: string[][] = [];
  for (const question of questions) {
    const { times, found } = await ask(question);
    const [p50, p99] = [quantile(times, 0.5), quantile(times, 0.99)];
    const row = [
      question.title,
      String(found),
      p50.toFixed(1),
      p99.toFixed(1),
      p50 < P50_MS_MAX ? 'pass' : 'miss',
    ];
    say(row.join('  '));
    rows.push(row);
  }
  return {
    title: `Lists with ${KEYS.toLocaleString('en')} keys, ${MEMBERS.toLocaleString('en')} members and ${calls.toLocaleString('en')} calls, PostgreSQL`,
    head: ['', 'rows', 'p50 ms', 'p99 ms', `p50 below ${P50_MS_MAX} ms`],
    rows,
    notes: [],
  };
}

/** Fills the database unless it was filled before. */
async function filledAt(db: Database, calls: number): Promise<number> {
  const [filled] = await db.query<{ at: number }>(sql`select max(started_at) as at from calls`);
  if (filled !== undefined && filled.at !== null) return filled.at + 1;
  const now = systemClock.now();
  await makeListRows(db, { calls, now, say });
  const [made] = await db.query<{ count: number }>(sql`
    select count(*) as count from calls where started_at < ${timestamp(now)}`);
  say(`${made?.count.toLocaleString('en')} calls are stored`);
  return now;
}

async function ask({ read }: ListQuestion): Promise<{ times: number[]; found: number }> {
  const times: number[] = [];
  let found = 0;
  for (let i = 0; i < WARM_UP + ASKED; i++) {
    const startedMs = performance.now();
    found = await read();
    if (i >= WARM_UP) times.push(performance.now() - startedMs);
  }
  return { times: times.sort((a, b) => a - b), found };
}

const method =
  `Nine tenths of all rows are in one of ${SPACES} spaces, one key has a tenth of its calls, and the figures are of ` +
  `that space. Each list is read ${ASKED} times with pages of 50 rows, one after the other, through the functions that ` +
  'the API calls; deep pages begin after half of the rows. PostgreSQL runs with its default settings.';

async function bench(stage: Stage): Promise<void> {
  const database = values.database === undefined ? await startDatabase(stage) : null;
  const url = values.database ?? database?.url;
  if (url === undefined) throw new Error('lists are measured on PostgreSQL, which is not installed here');
  const machine = machineText(stage.folder, { postgres: database?.version ?? (await versionOf(url)) });
  print(`${machine}\n`);
  const db = await openDatabase({ url, folder: stage.makeFolder('lists'), clock: systemClock });
  try {
    await migrate(db, systemClock);
    const tables = [await measureLists(db, Number(values.rows))];
    publish({ machine, tables, method, faults: [] }, values.write ? { mark: 'bench-lists' } : null);
  } finally {
    await db.close();
  }
}

async function versionOf(url: string): Promise<string> {
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query<{ version: string }>(
    "select current_setting('server_version') as version",
  );
  await client.end();
  return rows[0]?.version ?? 'of an unknown version';
}

const stage = new Stage();
const stop = (): void => void stage.stop().then(() => process.exit(130));
process.on('SIGINT', stop);
process.on('SIGTERM', stop);
try {
  await bench(stage);
} finally {
  await stage.stop();
}
