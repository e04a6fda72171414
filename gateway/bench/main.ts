/**
 * Measures the gateway beside a bare Node proxy: `npm run bench -- --help`. Figures, not
 * assertions: it ends with 1 only when the benchmark broke or a reply was wrong.
 */
import { constants, setPriority } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { batchCheckTable, checkBatches } from './batch-check.ts';
import { type BenchDatabase, startDatabase } from './database.ts';
import { type BenchFlags, FlagsError, readFlags, usage } from './flags.ts';
import { Measurement } from './measure.ts';
import { machineText, methodText, profileText } from './method.ts';
import { measureNeighbours, neighboursTable } from './neighbours.ts';
import { makePlan, type Plan } from './plan.ts';
import { findPortkey } from './portkey.ts';
import { figuresAvailable } from './process-figures.ts';
import { measureProcesses } from './processes.ts';
import { profileTables } from './profile.ts';
import { print, publish, say } from './publish.ts';
import { reportTables } from './report.ts';
import { Stage } from './stage.ts';
import { startTargets } from './start-targets.ts';
import { printTable } from './table.ts';
import { startOwnServer } from './target.ts';
import { providerArguments } from './usual-heads.ts';
import { slowModel } from './workload.ts';

/** A server that has just started still has work of its own to finish. */
const SETTLE_MS = 2_000;
/** In which memory is expected to return. */
const RETURN_MS = 60_000;

async function bench(flags: BenchFlags, stage: Stage): Promise<boolean> {
  const plan = makePlan(flags);
  if (flags.processes !== null) return await benchProcesses(flags.processes, flags, stage);
  if (plan.neighbours !== null) return await benchNeighbours(plan.neighbours, flags, stage);
  // First, while nothing else runs; it needs no server.
  const checks = plan.batchCheck ? [batchCheckTable(checkBatches({ rounds: plan.rounds, say }))] : [];
  if (!plan.servers) {
    print(checks.map(printTable).join('\n'));
    return true;
  }
  const database = flags.targets.includes('gateway/postgres') ? await startDatabase(stage) : null;
  const portkey = flags.targets.includes('portkey') ? findPortkey(flags.peers) : null;
  const facts = { portkey: portkey?.version ?? null, postgres: database?.version ?? null };
  const machine = machineText(stage.folder, facts);
  print(`${machine}\n`);

  const upstream = await startOwnServer(stage, './upstream.ts', providerArguments(flags));
  const targets = await startTargets(stage, {
    flags,
    plan,
    upstreamPort: upstream.port,
    database,
    portkey,
    say,
  });
  const load = stage.fork('./load.ts');
  await pause(SETTLE_MS);

  const tools = { plan, load, upstreamPid: upstream.pid, database, broken: stage.broken, say };
  const measurement = new Measurement(tools);
  measurement.noteIdle(targets);
  await measurement.warmUp(targets);
  for (const scenario of plan.scenarios) await measurement.measure(scenario, targets);
  if (plan.scenarios.length > 0) measurement.noteLoaded(targets);
  if (plan.memory) await measurement.holdStreams(targets);
  if (plan.images) await measurement.makeImages(targets);
  if (plan.memory) {
    await pause(RETURN_MS);
    measurement.noteLater(targets);
  }
  for (const target of targets) await measurement.checkCharges(target);
  await stage.stop();

  const tables = [...reportTables(measurement, plan), ...checks];
  const method = ['### Method', '', ...methodText(plan).flatMap((paragraph) => [paragraph, ''])].join('\n');
  const writesTables = flags.write && !flags.profile;
  const sound = publish(
    { machine, tables, method, faults: measurement.faults },
    writesTables ? { mark: plan.long ? 'bench-long' : 'bench' } : null,
  );
  const profiled = targets.flatMap((target) => {
    const { name, profileFolder } = target;
    const windows = measurement.windowsOf(target);
    return profileFolder === null ? [] : profileTables(profileFolder, { name, windows });
  });
  if (profiled.length > 0) {
    const parts = { machine, tables: profiled, method: profileText(), faults: [] };
    publish(parts, flags.write ? { mark: 'bench-profile' } : null);
  }
  return sound;
}

async function benchProcesses(processes: number, flags: BenchFlags, stage: Stage): Promise<boolean> {
  const { database, machine } = await startMachine(stage);
  if (database === null) throw new Error('processes are measured on PostgreSQL, which is not installed here');
  const { table, faults } = await measureProcesses(stage, { flags, processes, database, say });
  await stage.stop();
  const found = { machine, tables: [table], faults };
  return publish(found, flags.write ? { mark: 'bench-processes', page: 'scaling.md' } : null);
}

async function startMachine(stage: Stage): Promise<{ database: BenchDatabase | null; machine: string }> {
  const database = await startDatabase(stage);
  const machine = machineText(stage.folder, { postgres: database?.version ?? null });
  print(`${machine}\n`);
  return { database, machine };
}

/** On gateways, one after the other, and on the bare proxy. */
async function benchNeighbours(
  times: NonNullable<Plan['neighbours']>,
  flags: BenchFlags,
  stage: Stage,
): Promise<boolean> {
  const plan = makePlan(flags);
  const { database, machine } = await startMachine(stage);
  const upstream = await startOwnServer(stage, './upstream.ts', []);
  // A provider that one tenant keeps busy is slow for another one too, whatever the gateway does.
  const others = await startOwnServer(stage, './upstream.ts', []);
  // It would have a machine of its own, as the attacker would.
  setPriority(others.pid, constants.priority.PRIORITY_LOW);
  const measured = flags.targets.filter((name) => name.startsWith('gateway/') || name === 'bare-node');
  const targets = await startTargets(stage, {
    flags: { ...flags, targets: measured },
    plan,
    upstreamPort: upstream.port,
    othersPort: others.port,
    database,
    say,
  });
  await pause(SETTLE_MS);
  const { attacks } = flags;
  const options = { ...times, attacks, slowModel: slowModel(plan.slowStreams.frameMs), stage, say };
  const samples = [];
  for (const target of targets) samples.push(await measureNeighbours(target, options));
  await stage.stop();
  const faults = samples.flatMap((sample) => sample.faults);
  const found = { machine, tables: [neighboursTable(samples)], faults };
  return publish(found, flags.write ? { mark: 'bench-neighbours' } : null);
}

async function main(): Promise<number> {
  if (!figuresAvailable) {
    print('The benchmark reads /proc and therefore runs on Linux only.');
    return 1;
  }
  const flags = readFlags(process.argv.slice(2));
  if (flags.help) {
    print(usage);
    return 0;
  }
  const stage = new Stage();
  let interrupted = false;
  const onSignal = (): void => {
    if (interrupted) process.exit(130);
    interrupted = true;
    say('stopping …');
    void stage.stop().then(() => process.exit(130));
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  try {
    return (await bench(flags, stage)) ? 0 : 1;
  } catch (error) {
    // What breaks while everything is being stopped on purpose is no news.
    if (!interrupted) print(`The benchmark broke: ${(error as Error).stack}`);
    return 1;
  } finally {
    await stage.stop();
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof FlagsError)) throw error;
  print(`${error.message}\n${usage}`);
  process.exitCode = 1;
}
