/**
 * Measures the gateway beside a bare Node proxy and nginx: `npm run bench -- --help`. Figures, not
 * assertions: it ends with 1 only when the benchmark broke or a reply was wrong.
 */
import { constants, setPriority } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { batchCheckTable, checkBatches } from './batch-check.ts';
import { batchesTable, measureBatches } from './batches.ts';
import { startDatabase } from './database.ts';
import { syncMs } from './disk.ts';
import { type BenchFlags, FlagsError, readFlags, usage } from './flags.ts';
import { compareClients } from './http-clients.ts';
import { Measurement } from './measure.ts';
import { machineText, methodText, profileText } from './method.ts';
import { measureNeighbours, neighboursTable } from './neighbours.ts';
import { findNginx } from './nginx.ts';
import { makePlan, type Plan } from './plan.ts';
import { findPortkey } from './portkey.ts';
import { figuresAvailable } from './process-figures.ts';
import { measureProcesses } from './processes.ts';
import { profileTables } from './profile.ts';
import { measureReferences, referencesTable } from './references.ts';
import { reportTables } from './report.ts';
import { measureReports } from './reports.ts';
import { Stage } from './stage.ts';
import { startTargets } from './start-targets.ts';
import { markdownTable, printTable, type Table } from './table.ts';
import { startOwnServer, type Target } from './target.ts';
import { providerArguments } from './usual-heads.ts';
import { slowModel } from './workload.ts';
import { type Mark, writeDocs } from './write-docs.ts';

/** A server that has just started still has work of its own to finish. */
const SETTLE_MS = 2_000;
/** In which memory is expected to return. */
const RETURN_MS = 60_000;

const print = (text: string): void => void process.stdout.write(`${text}\n`);
const say = (line: string): void => void process.stderr.write(`  ${line}\n`);

async function bench(asked: BenchFlags, stage: Stage): Promise<boolean> {
  const plan = makePlan(asked);
  // nginx passes long prompts on unread, so there is nothing to compare.
  const flags = plan.long ? { ...asked, targets: asked.targets.filter((name) => name !== 'nginx') } : asked;
  if (flags.processes !== null) return await benchProcesses(flags.processes, flags, stage);
  if (flags.parts.includes('http-client')) return await benchHttpClients(flags, stage);
  if (plan.reportCalls !== null) return await benchReports(plan.reportCalls, flags, stage);
  if (plan.batchLines !== null) return await benchBatches(plan.batchLines, flags, stage);
  if (plan.referenceMib !== null) return await benchReferences(plan.referenceMib, flags, stage);
  if (plan.neighbours !== null) return await benchNeighbours(plan.neighbours, flags, stage);
  // First, while nothing else runs; it needs no server.
  const checks = plan.batchCheck ? [batchCheckTable(checkBatches({ rounds: plan.rounds, say }))] : [];
  if (!plan.servers) {
    print(checks.map(printTable).join('\n'));
    return true;
  }
  const nginx = flags.targets.includes('nginx') ? findNginx() : null;
  const database = flags.targets.includes('gateway/postgres') ? await startDatabase(stage) : null;
  const portkey = flags.targets.includes('portkey') ? findPortkey(flags.peers) : null;
  const facts = { nginx, portkey: portkey?.version ?? null };
  const machine = machineText({
    ...facts,
    postgres: database?.version ?? null,
    syncMs: syncMs(stage.folder),
  });
  print(`${machine}\n`);

  const upstream = await startOwnServer(stage, './upstream.ts', providerArguments(flags));
  const targets = await startTargets(stage, {
    flags,
    plan,
    upstreamPort: upstream.port,
    database,
    nginx,
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
  print(`\n${tables.map(printTable).join('\n')}`);
  const parts: Table[] = [];
  for (const { target, calls, windows } of measurement.answeredByTarget()) {
    if (target.profileFolder === null) continue;
    const profiled = profileTables(target.profileFolder, { name: target.name, calls, windows });
    print([...profiled.functions, ...profiled.parts].map(printTable).join('\n'));
    parts.push(...profiled.parts);
  }
  for (const fault of measurement.faults) print(`WRONG: ${fault}`);
  if (flags.write && flags.profile) {
    const text = [`Measured on ${today()}: ${machine}.`, '', ...parts.map(markdownTable), profileText()];
    print(`written: ${writeDocs(text.join('\n'), 'bench-profile')}`);
  } else if (flags.write) {
    const text = [`Measured on ${today()}: ${machine}.`, '', ...tables.map(markdownTable), '### Method', ''];
    const method = methodText(plan).flatMap((paragraph) => [paragraph, '']);
    print(`written: ${writeDocs([...text, ...method].join('\n'), plan.long ? 'bench-long' : 'bench')}`);
  }
  return measurement.faults.length === 0;
}

async function benchProcesses(processes: number, flags: BenchFlags, stage: Stage): Promise<boolean> {
  const database = await startDatabase(stage);
  if (database === null) throw new Error('processes are measured on PostgreSQL, which is not installed here');
  const machine = machineText({ nginx: null, postgres: database.version, syncMs: syncMs(stage.folder) });
  print(`${machine}\n`);
  const { table, faults } = await measureProcesses(stage, { flags, processes, database, say });
  await stage.stop();
  print(`\n${printTable(table)}`);
  for (const fault of faults) print(`WRONG: ${fault}`);
  if (flags.write) {
    const text = [`Measured on ${today()}: ${machine}.`, '', markdownTable(table)];
    print(`written: ${writeDocs(text.join('\n'), 'bench-processes')}`);
  }
  return faults.length === 0;
}

async function benchHttpClients({ quick }: BenchFlags, stage: Stage): Promise<boolean> {
  print(`${machineText({ nginx: null, postgres: null, syncMs: syncMs(stage.folder) })}\n`);
  const upstream = await startOwnServer(stage, './upstream.ts', []);
  const times = quick ? { rounds: 3, windowMs: 500 } : { rounds: 5, windowMs: 1_000 };
  const tables = await compareClients(upstream.port, { ...times, say });
  print(tables.map(printTable).join('\n'));
  return true;
}

async function benchReports(calls: number, flags: BenchFlags, stage: Stage): Promise<boolean> {
  const database = await startDatabase(stage);
  if (database === null) throw new Error('reports are measured on PostgreSQL, which is not installed here');
  const machine = machineText({ nginx: null, postgres: database.version, syncMs: syncMs(stage.folder) });
  print(`${machine}\n`);
  const { tables, method, faults } = await measureReports(stage, { databaseUrl: database.url, calls, say });
  await stage.stop();
  print(`\n${tables.map(printTable).join('\n')}`);
  for (const fault of faults) print(`WRONG: ${fault}`);
  if (flags.write) {
    const text = [`Measured on ${today()}: ${machine}.`, '', ...tables.map(markdownTable), method];
    print(`written: ${writeDocs(text.join('\n'), 'bench-reports')}`);
  }
  return faults.length === 0;
}

/** What is measured on gateways, one after the other, and on the bare proxy where it says something. */
async function benchGateways<Sample extends { readonly faults: readonly string[] }>(
  flags: BenchFlags,
  stage: Stage,
  part: {
    readonly mark: Mark;
    readonly onBareNode?: boolean;
    measure(target: Target): Promise<Sample>;
    table(samples: readonly Sample[]): Table;
  },
): Promise<boolean> {
  const plan = makePlan(flags);
  const database = await startDatabase(stage);
  const machine = machineText({
    nginx: null,
    postgres: database?.version ?? null,
    syncMs: syncMs(stage.folder),
  });
  print(`${machine}\n`);
  const upstream = await startOwnServer(stage, './upstream.ts', []);
  // A provider that one tenant keeps busy is slow for another one too, whatever the gateway does.
  const others = await startOwnServer(stage, './upstream.ts', []);
  // It would have a machine of its own, as the attacker would.
  setPriority(others.pid, constants.priority.PRIORITY_LOW);
  const measured = flags.targets.filter(
    (name) => name.startsWith('gateway/') || (name === 'bare-node' && part.onBareNode === true),
  );
  const wanted = { ...flags, targets: measured };
  const targets = await startTargets(stage, {
    ...{ flags: wanted, plan, upstreamPort: upstream.port, othersPort: others.port },
    ...{ database, nginx: null, say },
  });
  await pause(SETTLE_MS);
  const samples = [];
  for (const target of targets) samples.push(await part.measure(target));
  await stage.stop();
  const table = part.table(samples);
  print(`\n${printTable(table)}`);
  const faults = samples.flatMap((sample) => sample.faults);
  for (const fault of faults) print(`WRONG: ${fault}`);
  if (flags.write) {
    const text = [`Measured on ${today()}: ${machine}.`, '', markdownTable(table)];
    print(`written: ${writeDocs(text.join('\n'), part.mark)}`);
  }
  return faults.length === 0;
}

async function benchBatches(lines: number, flags: BenchFlags, stage: Stage): Promise<boolean> {
  const load = stage.fork('./load.ts');
  return await benchGateways(flags, stage, {
    mark: 'bench-batches',
    measure: (target) => measureBatches(target, { lines, load, say }),
    table: batchesTable,
  });
}

async function benchReferences(fileMib: number, flags: BenchFlags, stage: Stage): Promise<boolean> {
  return await benchGateways(flags, stage, {
    mark: 'bench-references',
    measure: (target) => measureReferences(target, { fileMib, say }),
    table: referencesTable,
  });
}

async function benchNeighbours(
  times: NonNullable<Plan['neighbours']>,
  flags: BenchFlags,
  stage: Stage,
): Promise<boolean> {
  const slow = slowModel(makePlan(flags).slowStreams.frameMs);
  return await benchGateways(flags, stage, {
    mark: 'bench-neighbours',
    onBareNode: true,
    measure: (target) =>
      measureNeighbours(target, { ...times, attacks: flags.attacks, slowModel: slow, stage, say }),
    table: neighboursTable,
  });
}

function today(): string {
  return new Date().toISOString().slice(0, 10);
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
