/**
 * What the indexes of lists cost a commit: the same calls are recorded in databases with and without them, in turns, so
 * that all have the same share of what else the machine does.
 */
import pg from 'pg';
import type { Database } from '../src/database/database.ts';
import { migrate } from '../src/database/migrate.ts';
import { openDatabase } from '../src/database/open-database.ts';
import { sql } from '../src/database/sql.ts';
import { newId } from '../src/kernel/ids.ts';
import { systemClock } from '../src/kernel/time.ts';
import { parseUnits } from '../src/kernel/units.ts';
import { type CallRecord, callRow, joinRows } from '../src/metering/call-record.ts';
import { recordCalls } from '../src/metering/calls.store.ts';
import type { BenchDatabase } from './database.ts';
import { median } from './figures.ts';
import { MODELS, makeListRows } from './list-rows.ts';
import type { Stage } from './stage.ts';
import type { Table } from './table.ts';

/** Rows that both databases hold before, so that the indexes have a size. */
const BEFORE_CALLS = 1_000_000;
const GROUP_CALLS = 32;
const ROUND_CALLS = 20_000;
const ADDED_INDEXES = [
  'calls_by_key',
  'calls_by_id',
  'calls_not_completed',
  'month_parts_by_key',
  'grants_by_space',
];
/** What is compared, and which indexes are missing in each. */
const VARIANTS: ReadonlyArray<{ readonly name: string; readonly dropped: readonly string[] }> = [
  { name: 'with all indexes of lists', dropped: [] },
  { name: 'without the one by key', dropped: ADDED_INDEXES.slice(0, 1) },
  { name: 'without any of them', dropped: ADDED_INDEXES },
];

interface Contender {
  readonly name: string;
  readonly db: Database;
  readonly keys: ReadonlyArray<{ id: string; spaceId: string; memberId: string | null }>;
  readonly ms: number[];
  readonly cpuUs: number[];
  readonly walBytes: number[];
}

export async function measureCommits(
  database: BenchDatabase,
  { calls, stage, say }: { calls: number; stage: Stage; say: (line: string) => void },
): Promise<Table> {
  const original = await fill(database.url, { stage, say });
  const keys = await readKeys(original.db);
  await original.db.close();
  const contenders: Contender[] = [];
  for (const [index, { name, dropped }] of VARIANTS.entries()) {
    const db = await copyOf(database.url, { template: original.name, name: `bench_${index}`, stage });
    for (const one of dropped) await db.query({ text: `drop index ${one}`, values: [] });
    contenders.push({ name, db, keys, ms: [], cpuUs: [], walBytes: [] });
  }
  const rounds = Math.max(1, Math.round(calls / ROUND_CALLS));
  for (let round = 0; round < rounds; round++) {
    // Each is first in turn.
    const first = round % contenders.length;
    for (const contender of [...contenders.slice(first), ...contenders.slice(0, first)])
      await record(contender, database);
    say(
      `round ${round + 1} of ${rounds}: ${contenders.map(({ ms }) => ms.at(-1)?.toFixed(0)).join(', ')} ms`,
    );
  }
  const rows = contenders.map(({ name, ms, cpuUs, walBytes }) => [
    name,
    (median(ms) / (ROUND_CALLS / 1_000)).toFixed(1),
    (median(cpuUs) / ROUND_CALLS).toFixed(1),
    String(Math.round(median(walBytes) / ROUND_CALLS)),
  ]);
  for (const { db } of contenders) await db.close();
  return {
    title: `Recording ${(rounds * ROUND_CALLS).toLocaleString('en')} calls in groups of ${GROUP_CALLS}, after ${BEFORE_CALLS.toLocaleString('en')}, PostgreSQL`,
    head: ['', 'ms per 1,000 calls', 'CPU µs/call', 'WAL bytes/call'],
    rows,
    notes: [
      'Medians of rounds of 20,000 calls, by 10,000 keys, one commit after the other. CPU is that of PostgreSQL.',
    ],
  };
}

async function fill(
  url: string,
  { stage, say }: { stage: Stage; say: (line: string) => void },
): Promise<{ name: string; db: Database }> {
  const name = 'bench_original';
  await execute(url, `create database ${name}`);
  const db = await open(url, name, stage);
  await migrate(db, systemClock);
  await makeListRows(db, { calls: BEFORE_CALLS, now: systemClock.now(), say });
  return { name, db };
}

async function copyOf(
  url: string,
  { template, name, stage }: { template: string; name: string; stage: Stage },
): Promise<Database> {
  await execute(url, `create database ${name} template ${template}`);
  return await open(url, name, stage);
}

async function open(url: string, name: string, stage: Stage): Promise<Database> {
  const own = new URL(url);
  own.pathname = `/${name}`;
  return await openDatabase({ url: own.href, folder: stage.makeFolder('commits'), clock: systemClock });
}

async function execute(url: string, statement: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(statement);
  await client.end();
}

async function readKeys(db: Database): Promise<Contender['keys']> {
  return await db.query<Contender['keys'][number]>(sql`
    select id, space_id as "spaceId", member_id as "memberId" from bench_numbers order by n`);
}

async function record({ db, keys, ms, cpuUs, walBytes }: Contender, database: BenchDatabase): Promise<void> {
  const groups = Array.from({ length: ROUND_CALLS / GROUP_CALLS }, (_, group) => {
    const calls = Array.from({ length: GROUP_CALLS }, (_, i) => callOf(keys, group * GROUP_CALLS + i));
    const spaces = [...new Set(calls.map(({ spaceId }) => spaceId))];
    return { rows: joinRows(calls.map(callRow)), spaces, at: systemClock.now() };
  });
  const [walBefore, cpuBefore, startedMs] = [await walPosition(db), database.cpuUs(), performance.now()];
  for (const group of groups) await recordCalls(db, group, 60_000);
  ms.push(performance.now() - startedMs);
  cpuUs.push(database.cpuUs() - cpuBefore);
  walBytes.push((await walPosition(db)) - walBefore);
}

async function walPosition(db: Database): Promise<number> {
  const [row] = await db.query<{ bytes: string }>(sql`select pg_current_wal_insert_lsn() - '0/0' as bytes`);
  return Number(row?.bytes);
}

function callOf(keys: Contender['keys'], n: number): CallRecord {
  const now = systemClock.now();
  const number = (n * 7919 + now) % keys.length;
  const key = keys[number] as Contender['keys'][number];
  return {
    id: newId('req', now),
    spaceId: key.spaceId,
    keyId: key.id,
    memberId: key.memberId,
    endpoint: 'chat',
    // As in the rows before: a key uses four models, so that most calls find their totals.
    model: `model-${(number * 4 + (n % 4)) % MODELS}`,
    provider: 'upstream',
    upstreamModel: 'model',
    streamed: n % 3 === 0,
    outcome: n % 100 === 7 ? 'failed' : 'completed',
    problem: null,
    finishReason: 'stop',
    usage: {
      inputTokens: 550,
      cachedInputTokens: 0,
      cacheWriteTokens: 0,
      outputTokens: 120,
      reasoningTokens: 0,
    },
    usageSource: 'provider',
    priceVersion: 'bench-1',
    charge: { total: parseUnits('0.000137'), lines: [] },
    attempts: 1,
    tried: [],
    startedAt: now,
    firstByteMs: 200,
    durationMs: 900,
    chargedAt: now,
  };
}
