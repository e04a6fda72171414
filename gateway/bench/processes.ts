/**
 * Compares `serve --processes N` with one process. The load, the provider and PostgreSQL share the cores with the
 * gateway, so on a small machine they limit the calls per second that can be seen. Therefore the table also has the
 * calls per second for one core per process: those that were seen, divided by the cores that the others left.
 */
import { availableParallelism } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { createDatabase } from '../test/support/postgres.ts';
import type { BenchDatabase } from './database.ts';
import { type Figures, figuresOf } from './figures.ts';
import type { BenchFlags } from './flags.ts';
import { startGateway } from './gateway.ts';
import { Measurement } from './measure.ts';
import { makePlan, type Plan } from './plan.ts';
import type { Stage } from './stage.ts';
import type { Table } from './table.ts';
import { startOwnServer, type Target } from './target.ts';
import { providerArguments } from './usual-heads.ts';

const SCENARIO = 'json-64';
const GOAL = 1.7;
const SETTLE_MS = 2_000;

export interface ProcessesOptions {
  readonly flags: BenchFlags;
  readonly processes: number;
  readonly database: BenchDatabase;
  readonly say: (line: string) => void;
}

export async function measureProcesses(
  stage: Stage,
  options: ProcessesOptions,
): Promise<{ table: Table; faults: readonly string[] }> {
  const { flags, processes, database, say } = options;
  const made = makePlan({ ...flags, parts: ['json'] });
  const plan: Plan = { ...made, scenarios: made.scenarios.filter(({ name }) => name === SCENARIO) };
  const upstream = await startOwnServer(stage, './upstream.ts', providerArguments(flags));
  const targets: Target[] = [];
  for (const count of [1, processes]) {
    const { url: databaseUrl } = await createDatabase(database.url);
    const name = count === 1 ? 'one process' : `${count} processes`;
    const shape = { upstreamPort: upstream.port, databaseUrl, plan, profileFolder: null };
    targets.push(await startGateway(stage, { name, ...shape, processes: count }));
  }
  const load = stage.fork('./load.ts');
  await pause(SETTLE_MS);
  const tools = { plan, load, upstreamPid: upstream.pid, database, broken: stage.broken, say };
  const measurement = new Measurement(tools);
  await measurement.warmUp(targets);
  for (const scenario of plan.scenarios) await measurement.measure(scenario, targets);
  for (const target of targets) await measurement.checkCharges(target);
  const samples = measurement.samples.get(SCENARIO) ?? new Map();
  const [one, several] = [...samples].map(([target, all]) => figuresOf(target.name, all));
  if (one === undefined || several === undefined) throw new Error('nothing was measured');
  return { table: processesTable({ one, several }, processes), faults: measurement.faults };
}

function processesTable({ one, several }: { one: Figures; several: Figures }, processes: number): Table {
  const row = (figures: Figures, count: number): string[] => [
    figures.name,
    figures.callsPerSecond.toFixed(0),
    (figures.callsPerSecond / one.callsPerSecond).toFixed(2),
    figures.cpuUsPerCall.toFixed(0),
    figures.loadUsPerCall.toFixed(0),
    figures.upstreamUsPerCall.toFixed(0),
    figures.databaseUsPerCall.toFixed(0),
    coresLeft(figures, count).toFixed(2),
    perCores(figures, count).toFixed(0),
    (perCores(figures, count) / perCores(one, 1)).toFixed(2),
  ];
  const ratio = perCores(several, processes) / perCores(one, 1);
  const goal = (GOAL * processes) / 2;
  return {
    title: `${processes} processes against one: JSON, closed loop, 64 connections`,
    head: [
      ...['', 'calls/s', '× one', 'gateway µs/call', 'load µs/call', 'provider µs/call'],
      ...['PostgreSQL µs/call', 'cores left', 'calls/s with a core each', '× one'],
    ],
    rows: [row(one, 1), row(several, processes)],
    notes: [
      `Cores left: the ${availableParallelism()} cores without what the load, the provider and PostgreSQL used, at most one ` +
        'per process. With a core each: calls/s × processes ÷ cores left. Time in which the gateway waits counts against ' +
        'it, and so does anything else that runs on the machine.',
      `Goal: at least ${goal.toFixed(2)} × with a core each. Measured: ${ratio.toFixed(2)} × (${ratio >= goal ? 'met' : 'missed'}).`,
    ],
  };
}

function coresLeft(figures: Figures, processes: number): number {
  const { loadUsPerCall, upstreamUsPerCall, databaseUsPerCall, callsPerSecond } = figures;
  const othersUs = loadUsPerCall + upstreamUsPerCall + databaseUsPerCall;
  return Math.min(processes, availableParallelism() - (othersUs * callsPerSecond) / 1_000_000);
}

function perCores(figures: Figures, processes: number): number {
  return (figures.callsPerSecond * processes) / coresLeft(figures, processes);
}
