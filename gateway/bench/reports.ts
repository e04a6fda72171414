/**
 * How long the platform API takes with millions of charged calls behind it, and how long it takes to prove
 * the books. The real server answers, over HTTP, on a PostgreSQL of its own.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { askServer } from '../src/app/ask-server.ts';
import { migrate } from '../src/database/migrate.ts';
import { openDatabase } from '../src/database/open-database.ts';
import { systemClock } from '../src/kernel/time.ts';
import { quantile } from './figures.ts';
import { KEYS, MODELS, MONTHS, makeYear, type ReportKeys, SPACES } from './report-rows.ts';
import type { Stage } from './stage.ts';
import type { Table } from './table.ts';
import { waitFor } from './target.ts';

const START_MS_MAX = 60_000;
const ASKED = 1_000;
const WARM_UP = 100;
const P50_MS_MAX = 20;
const command = fileURLToPath(new URL('../bin/tollgate.js', import.meta.url));
const config = `
providers: { nobody: { dialect: openai, base_url: http://127.0.0.1:9/v1, api_key: bench } }
models: { model-0: { routes: [{ provider: nobody, model: x }] } }
`;

export interface ReportsRun {
  readonly tables: readonly Table[];
  readonly method: string;
  readonly faults: readonly string[];
}

export async function measureReports(
  stage: Stage,
  { databaseUrl, calls, say }: { databaseUrl: string; calls: number; say: (line: string) => void },
): Promise<ReportsRun> {
  const folder = stage.makeFolder('reports');
  const db = await openDatabase({ url: databaseUrl, folder, clock: systemClock });
  await migrate(db, systemClock);
  const keys = await makeYear(db, calls, say);
  await db.close();
  const gateway = await startGateway(stage, { folder, databaseUrl });
  const rows: string[][] = [];
  for (const question of questionsOf(keys)) {
    const times = await ask(gateway.url, question);
    const [p50, p99] = [quantile(times, 0.5), quantile(times, 0.99)];
    say(`${question.title}: p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms`);
    rows.push([question.title, p50.toFixed(2), p99.toFixed(2), p50 < P50_MS_MAX ? 'pass' : 'miss']);
  }
  const verified = await gateway.verify();
  say(`ledger verify: ${(verified.elapsedMs / 1000).toFixed(1)} s, ${verified.disagreements} disagreements`);
  const title = `Reports with ${calls.toLocaleString('en')} charged calls, PostgreSQL`;
  return {
    tables: [
      { title, head: ['', 'p50 ms', 'p99 ms', `p50 below ${P50_MS_MAX} ms`], rows, notes: [] },
      {
        title: 'Proving the books of the same database',
        head: ['', 'seconds', 'disagreements'],
        rows: [
          [
            '`tollgate ledger verify`',
            (verified.elapsedMs / 1000).toFixed(1),
            String(verified.disagreements),
          ],
        ],
        notes: [],
      },
    ],
    method:
      `${calls.toLocaleString('en')} rows of calls in ${SPACES} spaces, ${KEYS} keys, ${MODELS} models and ` +
      `${MONTHS} months are made inside the database, half of them in one space, with the entries, totals and ` +
      `balances that charging them would have left. Each question is asked ${ASKED} times, one after the other, ` +
      'over one connection to the real server.',
    faults: verified.disagreements === 0 ? [] : [`the books disagree in ${verified.disagreements} places`],
  };
}

interface Question {
  readonly title: string;
  readonly path: string;
  readonly key: string;
}

function questionsOf({ big, small, months: [newest, middle] }: ReportKeys): Question[] {
  return [
    {
      title: 'usage of this month, the space with half of all calls',
      path: `usage?month=${newest}`,
      key: big,
    },
    { title: 'usage of a past month, the same space', path: `usage?month=${middle}`, key: big },
    { title: 'usage of this month, another space', path: `usage?month=${newest}`, key: small },
    { title: 'balance, the space with half of all calls', path: 'balance', key: big },
    { title: 'balance, another space', path: 'balance', key: small },
  ];
}

/** Milliseconds of each answer, in ascending order. */
async function ask(url: string, { path, key }: Question): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const times: number[] = [];
  for (let i = 0; i < WARM_UP + ASKED; i++) {
    const startedMs = performance.now();
    await new Promise<void>((resolve, reject) => {
      const headers = { authorization: `Bearer ${key}` };
      get(`${url}/v1/${path}`, { agent, headers }, (answer) => {
        if (answer.statusCode !== 200) reject(new Error(`${path} answered ${answer.statusCode}`));
        answer.resume().on('end', resolve);
      }).on('error', reject);
    });
    if (i >= WARM_UP) times.push(performance.now() - startedMs);
  }
  agent.destroy();
  return times.sort((a, b) => a - b);
}

interface ReportsGateway {
  readonly url: string;
  /** By the command, as an operator runs it. */
  verify(): Promise<{ elapsedMs: number; disagreements: number }>;
}

async function startGateway(
  stage: Stage,
  { folder, databaseUrl }: { folder: string; databaseUrl: string },
): Promise<ReportsGateway> {
  const [file, data] = [join(folder, 'tollgate.yaml'), join(folder, 'data')];
  mkdirSync(data);
  writeFileSync(file, config);
  const env = {
    PATH: process.env.PATH ?? '',
    PORT: '0',
    OPS_PORT: '0',
    LOG_LEVEL: 'warn',
    TOLLGATE_CONFIG: file,
    TOLLGATE_DATA: data,
    DATABASE_URL: databaseUrl,
  };
  stage.spawn('the gateway', { file: process.execPath, args: [command, 'serve'], env, cwd: folder });
  const { baseUrl } = await Promise.race([
    stage.broken,
    waitFor(
      START_MS_MAX,
      'the gateway does not start',
      async () => (await askServer(data, 'status', {}))?.result ?? null,
    ),
  ]);
  return {
    url: baseUrl.replace('localhost', '127.0.0.1'),
    async verify() {
      const startedMs = performance.now();
      const args = [command, 'ledger', 'verify', '--json'];
      // It ends with 1 where the books disagree, and tells where all the same.
      const { stdout } = await promisify(execFile)(process.execPath, args, { env, cwd: folder }).catch(
        (error: Error & { stdout?: string }) => ({ stdout: error.stdout ?? '' }),
      );
      const { disagreements } = JSON.parse(stdout) as { disagreements: unknown[] };
      return { elapsedMs: performance.now() - startedMs, disagreements: disagreements.length };
    },
  };
}
