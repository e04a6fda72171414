/**
 * Compares `serve --processes N` with one process. Every call is of one key of one space, which may not use overage, and
 * counts against a limit of the key: all processes share two purses. Each process has the same connections. With
 * `--slow-commits` each commit takes 20 ms: then waiting is the limit and not the cores, so it shows on a small machine
 * whether processes wait for each other.
 */
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { createDatabase } from '../test/support/postgres.ts';
import { type BenchDatabase, slowCommits } from './database.ts';
import { type Figures, figuresOf } from './figures.ts';
import type { BenchFlags } from './flags.ts';
import { startGateway } from './gateway.ts';
import { LockWatch } from './lock-watch.ts';
import { Measurement } from './measure.ts';
import { makePlan, type Plan } from './plan.ts';
import type { Stage } from './stage.ts';
import type { Table } from './table.ts';
import { startOwnServer } from './target.ts';
import { providerArguments } from './usual-heads.ts';

/** So few that two cores are not busy with four times as many. */
const CONNECTIONS = 8;
const SETTLE_MS = 2_000;

interface Row {
  readonly processes: number;
  readonly figures: Figures;
  readonly waiting: number;
}

export interface ProcessesOptions {
  readonly flags: BenchFlags;
  readonly processes: number;
  readonly database: BenchDatabase;
  readonly say: (line: string) => void;
}

export async function measureProcesses(
  stage: Stage,
  { flags, processes, database, say }: ProcessesOptions,
): Promise<{ table: Table; faults: readonly string[] }> {
  if (flags.slowCommits) await slowCommits(database);
  const made = makePlan({ ...flags, parts: ['json'] });
  const plan: Plan = { ...made, scenarios: made.scenarios.slice(0, 1) };
  const [usual] = plan.scenarios;
  if (usual === undefined) throw new Error('there is no scenario');
  const upstream = await startOwnServer(stage, './upstream.ts', providerArguments(flags));
  const load = stage.fork('./load.ts');
  const observer = new pg.Client(database.url);
  await observer.connect();
  const rows: Row[] = [];
  const faults: string[] = [];
  for (const count of [1, processes]) {
    const { url: databaseUrl } = await createDatabase(database.url);
    const name = count === 1 ? 'one process' : `${count} processes`;
    const shape = { upstreamPort: upstream.port, databaseUrl, plan, profileFolder: null, limited: true };
    const target = await startGateway(stage, { name, ...shape, processes: count });
    await pause(SETTLE_MS);
    const tools = { plan, load, upstreamPid: upstream.pid, database, broken: stage.broken, say };
    const measurement = new Measurement(tools);
    await measurement.warmUp([target]);
    const locks = new LockWatch(observer);
    await measurement.measure({ ...usual, connections: CONNECTIONS * count }, [target]);
    const waiting = await locks.stop();
    await measurement.checkCharges(target);
    faults.push(...measurement.faults);
    const samples = measurement.samples.get(usual.name)?.get(target) ?? [];
    rows.push({ processes: count, figures: figuresOf(name, samples), waiting });
  }
  await observer.end();
  return { table: processesTable(rows, flags.slowCommits), faults };
}

function processesTable(rows: readonly Row[], slow: boolean): Table {
  const one = rows[0]?.figures.callsPerSecond ?? 0;
  return {
    title: `Calls${slow ? ' with commits of 20 ms' : ''}, ${CONNECTIONS} connections for each process, one limited key of one space`,
    head: [
      '',
      'calls/s',
      '× one',
      'p50 ms',
      'p99 ms',
      'gateway µs/call',
      'PostgreSQL µs/call',
      'waiting for locks',
    ],
    rows: rows.map(({ figures, waiting }) => [
      figures.name,
      figures.callsPerSecond.toFixed(0),
      (figures.callsPerSecond / one).toFixed(2),
      figures.p50Ms.toFixed(1),
      figures.p99Ms.toFixed(1),
      figures.cpuUsPerCall.toFixed(0),
      figures.databaseUsPerCall.toFixed(0),
      waiting.toFixed(2),
    ]),
    notes: [
      'Waiting for locks: connections that wait for a row or a transaction of another one, on average of a look every 20 ms.',
    ],
  };
}
