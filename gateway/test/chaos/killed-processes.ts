/** What the tests share in which processes are killed while they work on jobs: a place, a space, and asking on. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Simulator, startSimulator } from '../../simulator/simulator.ts';
import { shellActor } from '../../src/access/actor.ts';
import { runOperation } from '../../src/administration/operations.ts';
import type { Database } from '../../src/database/database.ts';
import { migrate } from '../../src/database/migrate.ts';
import { openDatabase } from '../../src/database/open-database.ts';
import { randomFraction } from '../../src/kernel/ids.ts';
import { pause, systemClock } from '../../src/kernel/time.ts';
import { type Engine, makePlace, type TestPlace } from '../support/engines.ts';
import { type GatewayProcess, startGatewayProcess } from '../support/gateway-process.ts';

export type Ask = (path: string, init?: RequestInit) => Promise<Response>;

export interface KilledRun<Done> {
  readonly engine: Engine;
  readonly kills: number;
  /** How long a process runs before it is killed, at most. */
  readonly livesMs?: number;
  config(simulator: Simulator): string;
  /** Hands in what is to be worked on, while processes are killed. */
  begin(ask: Ask): Promise<string[]>;
  /** Waits until it is done; nobody is killed any more. */
  finish(ids: readonly string[], ask: Ask): Promise<Done>;
}

export interface AfterKills {
  readonly db: Database;
  readonly simulator: Simulator;
  readonly folder: string;
}

const LIVES_MS = 400;
const LOOK_MS = 50;
const ENDED_MS_MAX = 240_000;
/** A kill and the start after it: where one process does it all, little is done in between. */
const KILL_MS_MAX = 10_000;

/** Reads what is left with `read`, once every process has stopped. */
export async function runKilled<Done, Read>(
  run: KilledRun<Done>,
  read: (done: Done, after: AfterKills) => Promise<Read>,
): Promise<Read> {
  const place = await makePlace(run.engine);
  const { folder, databaseUrl } = place;
  const simulator = await startSimulator({ apiKey: 'simulator-key' });
  const configFile = join(folder, 'tollgate.yaml');
  writeFileSync(configFile, run.config(simulator));
  const key = await withDatabase(place, prepare);
  const start = (): Promise<GatewayProcess> => startGatewayProcess({ folder, configFile, databaseUrl });
  const processes: GatewayProcess[] = [];
  try {
    for (let i = 0; i < (run.engine === 'embedded' ? 1 : 2); i++) processes.push(await start());
    const ask = asker(processes, key, ENDED_MS_MAX + run.kills * KILL_MS_MAX);
    const beginning = run.begin(ask);
    for (let i = 0; i < run.kills; i++) {
      // Not a wait for anything: this is the chance in "a random moment".
      await pause(systemClock, randomFraction() * (run.livesMs ?? LIVES_MS));
      const victim = Math.floor(randomFraction() * processes.length);
      await processes[victim]?.kill();
      processes[victim] = await start();
    }
    const done = await run.finish(await beginning, ask);
    await Promise.all(processes.map((running) => running.stop()));
    return await withDatabase(place, (db) => read(done, { db, simulator, folder }));
  } finally {
    await Promise.all(processes.map((running) => running.kill()));
    await simulator.stop();
    await place.remove();
  }
}

/** Asks whichever process is up, until one answers. */
function asker(processes: readonly GatewayProcess[], key: string, patienceMs: number): Ask {
  return async (path, init = {}) => {
    const deadline = systemClock.now() + patienceMs;
    for (;;) {
      const up = processes.filter((running) => running.alive);
      const chosen = up[Math.floor(randomFraction() * up.length)];
      try {
        const headers = { authorization: `Bearer ${key}`, connection: 'close', ...(init.headers as object) };
        const reply = chosen && (await fetch(`${chosen.url}${path}`, { ...init, headers }));
        if (reply !== undefined && reply.status !== 409 && reply.status < 500) {
          // Read here: the process may be killed while its answer is under way.
          return new Response(await reply.arrayBuffer(), { status: reply.status });
        }
      } catch {
        // Killed; the same is asked of another.
      }
      if (systemClock.now() > deadline) throw new Error(`no answer to ${path}`);
      await pause(systemClock, LOOK_MS);
    }
  };
}

/** Looks until it is as wanted. */
export async function untilSeen<Body>(
  ask: Ask,
  path: string,
  isDone: (body: Body) => boolean,
): Promise<Body> {
  const deadline = systemClock.now() + ENDED_MS_MAX;
  for (;;) {
    const body = (await (await ask(path)).json()) as Body;
    if (isDone(body)) return body;
    if (systemClock.now() > deadline) throw new Error(`${path} did not end: ${JSON.stringify(body)}`);
    await pause(systemClock, LOOK_MS);
  }
}

async function prepare(db: Database): Promise<string> {
  await migrate(db, systemClock);
  const context = { db, clock: systemClock, actor: shellActor('test') };
  await runOperation(context, 'spaces.create', { name: 'acme', overage: true });
  await runOperation(context, 'grants.add', { amount: '0.01', kind: 'paid' });
  return (await runOperation(context, 'keys.create', { name: 'chaos', kind: 'shared' })).key;
}

async function withDatabase<T>(place: TestPlace, work: (db: Database) => Promise<T>): Promise<T> {
  const db = await openDatabase({ url: place.databaseUrl, folder: place.folder, clock: systemClock });
  try {
    return await work(db);
  } finally {
    await db.close();
  }
}
