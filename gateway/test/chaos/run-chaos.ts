/**
 * The rough treatment: clients call without pause, gateways are killed with SIGKILL at moments drawn
 * by chance and started again, until the rounds are over; then the ledger is read, and what a gateway
 * that is started once more reports of it.
 */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Simulator, startSimulator } from '../../simulator/simulator.ts';
import { shellActor } from '../../src/access/actor.ts';
import { runOperation } from '../../src/administration/operations.ts';
import type { InputOf } from '../../src/contract/administration/admin-endpoints.ts';
import type { Database } from '../../src/database/database.ts';
import { migrate } from '../../src/database/migrate.ts';
import { openDatabase } from '../../src/database/open-database.ts';
import { sql } from '../../src/database/sql.ts';
import { DAY_MS } from '../../src/kernel/durations.ts';
import { randomFraction } from '../../src/kernel/ids.ts';
import { isoOf, pause, systemClock } from '../../src/kernel/time.ts';
import { type Verdict, verifyBooks } from '../../src/reports/verify-books.store.ts';
import { changeConfig, pointAt, testConfig } from '../support/config.ts';
import { type Engine, makePlace, type TestPlace } from '../support/engines.ts';
import { type GatewayPlace, type GatewayProcess, startGatewayProcess } from '../support/gateway-process.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import type { Journals } from './audit.ts';
import { readLedger } from './ledger.ts';
import { Load } from './load.ts';
import { askReports, type SpaceReports } from './reports.ts';

export interface ChaosRun extends Journals {
  readonly reports: readonly SpaceReports[];
  /** What the journal says, and where anything disagrees with it. */
  readonly verdict: Verdict;
  readonly kills: number;
  /** Of the last, orderly stop of each gateway. */
  readonly exitCodes: ReadonlyArray<number | null>;
}

const CLIENTS = 50;
/** A kill falls up to this long after the moment it was aimed at. */
const KILL_LATE_MS_MAX = 30;
/** Of so many kills on PostgreSQL one falls while no commit gets its answer. */
const FROZEN_EVERY = 3;
const FROZEN_ANSWERS_MIN = 20;
/** Of a database whose clients have journals, in turn with commits that get no answer. */
const OUTAGES = ['stopServer', 'freezeAll'] as const;

export interface ChaosOptions {
  readonly engine: Engine;
  readonly rounds: number;
  /** The kills are spread over at least so many calls. */
  readonly callsMin: number;
  /** Two processes on one data folder have journals, and most kills fall while their database does not answer. */
  readonly journal?: boolean;
}

export async function runChaos(options: ChaosOptions): Promise<ChaosRun> {
  const place = await makePlace(options.engine);
  const simulator = await startSimulator({ apiKey: 'simulator-key' });
  const gateways: GatewayProcess[] = [];
  const proxy = options.journal ? await proxyTo(place) : null;
  try {
    const spaces = await withDatabase(place, prepare);
    const keys = spaces.map(({ key }) => key);
    // The embedded database belongs to one process; PostgreSQL is shared by two.
    const places = (options.engine === 'embedded' ? ['a'] : ['a', 'b']).map((name) =>
      gatewayPlace(place, { name, simulator, proxy }),
    );
    gateways.push(...(await Promise.all(places.map(startGatewayProcess))));
    const load = new Load({ clients: CLIENTS, keys, gateways: () => gateways, random: randomFraction });
    const provider = new Map<string, string>();
    load.start();
    for (let round = 0; round < options.rounds; round++) {
      const victim = Math.floor(randomFraction() * gateways.length);
      const aim = { victim: gateways[victim] as GatewayProcess, load, simulator };
      const outage = proxy === null ? undefined : OUTAGES[round % FROZEN_EVERY];
      if (proxy !== null && outage !== undefined) await killInOutage(aim, proxy, outage);
      else if (place.databaseUrl !== null && (proxy !== null || round % FROZEN_EVERY === 0)) {
        await withDatabase(place, (db) => killWhileFrozen(aim, db));
      } else await killSometime(aim);
      readProvider(simulator, provider);
      gateways[victim] = await startGatewayProcess(places[victim] as GatewayPlace);
      load.gatewayUp();
      while (load.notes.length < (options.callsMin * (round + 1)) / options.rounds) {
        await load.moments('full', CLIENTS);
        readProvider(simulator, provider);
      }
    }
    await load.moments('full', CLIENTS);
    await load.stop();
    const exitCodes = await Promise.all(gateways.map((gateway) => gateway.stop()));
    readProvider(simulator, provider);
    const ledger = await withDatabase(place, readLedger);
    const verdict = await withDatabase(place, verifyBooks);
    gateways[0] = await startGatewayProcess(places[0] as GatewayPlace);
    const reports = await askReports(gateways[0], spaces, ledger);
    exitCodes.push(await gateways[0].stop());
    return {
      clients: load.notes,
      provider: [...provider.values()],
      ledger,
      reports,
      verdict,
      kills: options.rounds,
      exitCodes,
    };
  } finally {
    await Promise.all(gateways.map((gateway) => gateway.kill()));
    await simulator.stop();
    await proxy?.stop();
    await place.remove();
  }
}

interface Aim {
  readonly victim: GatewayProcess;
  readonly load: Load;
  readonly simulator: Simulator;
}

/** Aims at the beginning, the middle or the end of calls, on the client's or the provider's side. */
async function killSometime(aim: Aim): Promise<void> {
  const { victim, load, simulator } = aim;
  const moments: Array<() => Promise<unknown>> = [
    ...(['first-byte', 'piece', 'full'] as const).map(
      (moment) => () => load.moments(moment, upTo(moment === 'piece' ? 400 : 100)),
    ),
    () => answersOf(simulator, upTo(100)),
  ];
  await moments[Math.floor(randomFraction() * moments.length)]?.();
  // Not a wait for anything: this is the chance in "a random moment".
  await pause(systemClock, randomFraction() * KILL_LATE_MS_MAX);
  await victim.kill();
  // What the clients got from the victim is on paper before another process can answer them.
  await load.settled(victim);
}

/**
 * PostgreSQL commits too quickly to be caught at it by chance. With the accounts locked, every commit
 * is sent and none is answered, while the provider's answers pile up in the gateway.
 */
async function killWhileFrozen(aim: Aim, db: Database): Promise<void> {
  const { victim, load, simulator } = aim;
  await db.transaction(async (tx) => {
    await tx.query(sql`select 1 from accounts order by space_id for update`);
    // A gateway that gets no commit through for long takes no new calls, so no more answers would come.
    const answered = answersOf(simulator, FROZEN_ANSWERS_MIN + upTo(FROZEN_ANSWERS_MIN));
    await Promise.race([answered, load.moments('refused', 1)]);
    await victim.kill();
    await load.settled(victim);
  });
}

/** Calls are answered without the database, and the victim is killed with those that only its disk has. */
async function killInOutage(aim: Aim, proxy: TcpProxy, outage: (typeof OUTAGES)[number]): Promise<void> {
  // Keys that a process has not seen before are rejected in an outage.
  await aim.load.moments('full', 2 * CLIENTS);
  proxy[outage]();
  await aim.load.moments('full', CLIENTS);
  await killSometime(aim);
  proxy.thaw();
  proxy.startServer();
  proxy.endAbandoned();
}

async function proxyTo({ databaseUrl }: TestPlace): Promise<TcpProxy> {
  const { hostname, port } = new URL(databaseUrl as string);
  return await startTcpProxy({ host: hostname, port: Number(port) });
}

/** Resolves at the so-many-th answer that the provider has written to its end from now on. */
async function answersOf(simulator: Simulator, count: number): Promise<void> {
  const known = new Set(simulator.calls.filter((call) => call.finished).map((call) => call.id));
  const enough = known.size + count;
  await simulator.waitFor((call) => call.finished && known.add(call.id).size >= enough);
}

function upTo(most: number): number {
  return 1 + Math.floor(randomFraction() * most);
}

/** The simulator keeps only its latest calls, so its journal is copied after every round. */
function readProvider(simulator: Simulator, marks: Map<string, string>): void {
  for (const call of simulator.calls) marks.set(call.id, /call-\d+\./.exec(call.text)?.[0] ?? call.text);
}

function gatewayPlace(
  place: TestPlace,
  { name, simulator, proxy }: { name: string; simulator: Simulator; proxy: TcpProxy | null },
): GatewayPlace {
  const shared = place.databaseUrl === null || proxy !== null;
  const folder = shared ? place.folder : join(place.folder, name);
  mkdirSync(folder, { recursive: true });
  const configFile = join(folder, `${name}.yaml`);
  const config = changeConfig(testConfig(), proxy === null ? {} : { metering: { journal: 'local' } });
  writeFileSync(configFile, pointAt(config, { simulator }));
  const { databaseUrl } = place;
  if (databaseUrl === null || proxy === null) return { folder, configFile, databaseUrl };
  return {
    folder,
    configFile,
    databaseUrl: Object.assign(new URL(databaseUrl), { port: String(proxy.port) }).href,
  };
}

async function withDatabase<T>(place: TestPlace, work: (db: Database) => Promise<T>): Promise<T> {
  const db = await openDatabase({ url: place.databaseUrl, folder: place.folder, clock: systemClock });
  try {
    return await work(db);
  } finally {
    await db.close();
  }
}

/** Three spaces: rich, soon beyond its paid units, and with promo units that run out on the way. */
async function prepare(db: Database): Promise<Array<{ name: string; key: string; management: string }>> {
  await migrate(db, systemClock);
  const context = { db, clock: systemClock, actor: shellActor('test') };
  const soon = isoOf(systemClock.now() + 2 * DAY_MS);
  const inAWeek = isoOf(systemClock.now() + 7 * DAY_MS);
  const spaces: Record<string, Array<InputOf<'grants.add'>>> = {
    rich: [{ kind: 'paid', amount: '1000000' }],
    poor: [{ kind: 'paid', amount: '0.001000000001' }],
    guest: [
      { kind: 'promo', amount: '0.0005', expires: inAWeek },
      { kind: 'promo', amount: '0.000300000007', expires: soon },
      { kind: 'paid', amount: '0.001' },
    ],
  };
  const made: Array<{ name: string; key: string; management: string }> = [];
  for (const [space, grants] of Object.entries(spaces)) {
    await runOperation(context, 'spaces.create', { name: space, overage: true });
    for (const grant of grants) await runOperation(context, 'grants.add', { space, ...grant });
    const keyOf = async (kind: 'shared' | 'management'): Promise<string> =>
      (await runOperation(context, 'keys.create', { space, name: kind, kind })).key;
    made.push({ name: space, key: await keyOf('shared'), management: await keyOf('management') });
  }
  return made;
}
