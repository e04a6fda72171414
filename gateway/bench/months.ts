/**
 * Measures the reports of a month: `npm run bench:months`. First a space with two million calls in one month, then five
 * million calls in fifty spaces. `--calls N` makes another number of calls, the first time two fifths of it.
 * `--database URL` uses an empty database, or one that an earlier run has filled; `--write` puts the figures into docs/performance.md.
 */
import { parseArgs } from 'node:util';
import { shellActor } from '../src/access/actor.ts';
import { runOperation } from '../src/administration/operations.ts';
import type { Database } from '../src/database/database.ts';
import { migrate } from '../src/database/migrate.ts';
import { openDatabase } from '../src/database/open-database.ts';
import { sql } from '../src/database/sql.ts';
import { DAY_MS } from '../src/kernel/durations.ts';
import { type Month, monthOf, monthStart, systemClock } from '../src/kernel/time.ts';
import { startDatabase } from './database.ts';
import { syncMs } from './disk.ts';
import { machineText } from './method.ts';
import { addMonthOfCalls, BIG_KEYS, correctSome, MODELS, makeMonthSpaces, SPACES } from './month-rows.ts';
import { Stage } from './stage.ts';
import { markdownTable, printTable, type Table } from './table.ts';
import { writeDocs } from './write-docs.ts';

const { values } = parseArgs({
  options: {
    calls: { type: 'string', default: '5000000' },
    database: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
});
const SECONDS_MAX = 20;
const SAMPLE_MS = 20;
const PAGE_ROWS = 1_000;

const print = (text: string): void => void process.stdout.write(`${text}\n`);
const say = (line: string): void => void process.stderr.write(`  ${line}\n`);

interface Question {
  readonly title: string;
  /** How many rows were read. */
  read(): Promise<number>;
}

function questionsOf(db: Database, month: Month): Question[] {
  const context = { db, clock: systemClock, actor: shellActor('bench') };
  const margins = (['space', 'model', 'day'] as const).map((by) => ({
    title: `\`reports margin --by ${by}\``,
    read: async () => (await runOperation(context, 'reports.margin', { month, by })).rows.length,
  }));
  const focus = async (space: string): Promise<number> => {
    let [rows, cursor] = [0, undefined as string | undefined];
    do {
      const page = await runOperation(context, 'reports.focus', {
        ...{ space, month, limit: PAGE_ROWS },
        ...(cursor !== undefined && { cursor }),
      });
      rows += page.data.length;
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
    return rows;
  };
  const statement = async (space: string): Promise<number> =>
    (await runOperation(context, 'statements.get', { space, month })).lines.length;
  return [
    ...margins,
    { title: '`reports focus --all` of the large space', read: () => focus('space-0') },
    { title: '`reports focus --all` of another space', read: () => focus('space-1') },
    { title: '`statement` of the large space', read: () => statement('space-0') },
    { title: '`statement` of another space', read: () => statement('space-1') },
  ];
}

function heapBytes(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Time, the time that the database computed, and how much memory this process needed beyond what it had. */
async function measure({ title, read }: Question, cpuUs: () => number): Promise<string[]> {
  globalThis.gc?.();
  const before = heapBytes();
  let most = before;
  const cancel = systemClock.every(SAMPLE_MS, () => {
    most = Math.max(most, heapBytes());
  });
  const [startedMs, startedUs] = [performance.now(), cpuUs()];
  const rows = await read();
  const computed = (cpuUs() - startedUs) / 1_000_000;
  const seconds = (performance.now() - startedMs) / 1_000;
  cancel();
  most = Math.max(most, heapBytes());
  const row = [
    title,
    rows.toLocaleString('en'),
    seconds.toFixed(2),
    computed.toFixed(2),
    ((most - before) / 2 ** 20).toFixed(0),
    seconds < SECONDS_MAX ? 'pass' : 'miss',
  ];
  say(row.join('  '));
  return row;
}

async function measureAll(
  db: Database,
  of: { title: string; month: Month; cpuUs: () => number },
): Promise<Table> {
  const { title, month, cpuUs } = of;
  const rows: string[][] = [];
  for (const question of questionsOf(db, month)) rows.push(await measure(question, cpuUs));
  return {
    title,
    head: ['', 'rows', 'seconds', 'database CPU s', 'MiB more', `below ${SECONDS_MAX} s`],
    rows,
    notes: [],
  };
}

async function bench(stage: Stage): Promise<void> {
  const database = values.database === undefined ? await startDatabase(stage) : null;
  const url = values.database ?? database?.url;
  if (url === undefined) throw new Error('months are measured on PostgreSQL, which is not installed here');
  const db = await openDatabase({ url, folder: stage.makeFolder('months'), clock: systemClock });
  try {
    await migrate(db, systemClock);
    const [server] = await db.query<{ version: string }>(
      sql`select current_setting('server_version') as version`,
    );
    const machine = machineText({
      nginx: null,
      postgres: server?.version ?? null,
      syncMs: syncMs(stage.folder),
    });
    print(`${machine}\n`);
    const month = monthOf(monthStart(monthOf(systemClock.now())) - DAY_MS);
    const calls = Number(values.calls);
    const large = Math.round(calls * 0.4);
    const cpuUs = (): number => database?.cpuUs() ?? Number.NaN;
    const tables: Table[] = [];
    const [filled] = await db.query<{ calls: boolean }>(sql`select exists (select from calls) as calls`);
    if (!filled?.calls) {
      await makeMonthSpaces(db);
      await addMonthOfCalls(db, { month, calls: large, where: 'big' }, say);
      await correctSome(db, month);
      const one = `A month with ${large.toLocaleString('en')} calls of one space, PostgreSQL`;
      tables.push(await measureAll(db, { title: one, month, cpuUs }));
      await addMonthOfCalls(db, { month, calls: calls - large, where: 'small' }, say);
    }
    const all = `A month with ${calls.toLocaleString('en')} calls of ${SPACES} spaces, PostgreSQL`;
    tables.push(await measureAll(db, { title: all, month, cpuUs }));
    print(tables.map(printTable).join('\n'));
    if (values.write) print(`written: ${writeDocs(documented(machine, tables), 'bench-months')}`);
  } finally {
    await db.close();
  }
}

function documented(machine: string, tables: readonly Table[]): string {
  const today = new Date().toISOString().slice(0, 10);
  const method =
    `The calls are made inside the database, spread over the whole month: one space with ${BIG_KEYS} keys and ${MODELS} ` +
    `models, then the others beside it. Each report is read once, as the API reads it; FOCUS rows in pages of ${PAGE_ROWS}. ` +
    '"MiB more" is what the process needed beyond what it had. PostgreSQL runs with its default settings; large scans ' +
    'are shared by several of its processes.';
  return [`Measured on ${today}: ${machine}.`, '', ...tables.map(markdownTable), method].join('\n');
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
