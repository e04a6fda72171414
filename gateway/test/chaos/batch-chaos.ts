/**
 * Batches under rough treatment: many are handed in while the processes that run them are killed with
 * SIGKILL at moments drawn by chance and started again; then everything that is left is compared.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Simulator, startSimulator } from '../../simulator/simulator.ts';
import { adminCommands } from '../../src/app/admin-commands.ts';
import type { BatchObject } from '../../src/contract/batches.ts';
import type { Database } from '../../src/database/database.ts';
import { migrate } from '../../src/database/migrate.ts';
import { openDatabase } from '../../src/database/open-database.ts';
import { sql } from '../../src/database/sql.ts';
import { randomFraction } from '../../src/kernel/ids.ts';
import { pause, systemClock } from '../../src/kernel/time.ts';
import { type Disagreement, verifyBooks } from '../../src/metering/verify-books.store.ts';
import { chatLine, type ResultLine } from '../support/batches-stage.ts';
import { type Engine, makePlace, type TestPlace } from '../support/engines.ts';
import { type GatewayProcess, startGatewayProcess } from '../support/gateway-process.ts';
import { madeOf, providerConfig } from '../support/provider-batches-stage.ts';

export interface BatchChaosOptions {
  readonly engine: Engine;
  readonly batches: number;
  readonly lines: number;
  readonly kills: number;
}

export interface EndedBatch {
  readonly batch: BatchObject;
  readonly output: readonly ResultLine[];
  readonly errors: readonly ResultLine[];
}

export interface BatchChaosRun {
  readonly ended: readonly EndedBatch[];
  /** How many batches there are in the database. */
  readonly batches: number;
  /** The charges of batches in the journal. */
  readonly charges: ReadonlyArray<{ ref: string; spent: string }>;
  readonly disagreements: readonly Disagreement[];
  /** How often the provider was asked for a line of a batch that our own workers run. */
  readonly asked: number;
  /** How many batches the provider made for each of those it runs. */
  readonly made: readonly number[];
  readonly kills: number;
  readonly leftLines: number;
}

/** Lines of batches that one process runs at once. */
export const LINES_AT_ONCE = 8;
const KILL_LATE_MS_MAX = 400;
const LOOK_MS = 50;
const ENDED_MS_MAX = 240_000;
/** A kill and the start after it: where one process does it all, little is done in between. */
const KILL_MS_MAX = 10_000;
/** Which model each batch is for, in turn: our own workers run the first, its provider the others. */
export const models = ['own-chat', 'their-chat', 'their-claude'] as const;
/** A batch that the provider does not show by then was never made. */
const UNKNOWN_MS = 1_000;
/** Every so-many-th line is refused by the gateway itself. */
export const BAD_EVERY = 10;

export async function runBatchChaos(options: BatchChaosOptions): Promise<BatchChaosRun> {
  const place = await makePlace(options.engine);
  const simulator = await startSimulator({ apiKey: 'simulator-key' });
  const configFile = join(place.folder, 'tollgate.yaml');
  writeFileSync(configFile, config(simulator));
  const key = await withDatabase(place, prepare);
  const start = (): Promise<GatewayProcess> =>
    startGatewayProcess({ folder: place.folder, configFile, databaseUrl: place.databaseUrl });
  const processes: GatewayProcess[] = [];
  try {
    for (let i = 0; i < (options.engine === 'embedded' ? 1 : 2); i++) processes.push(await start());
    const ask = asker(processes, key, ENDED_MS_MAX + options.kills * KILL_MS_MAX);
    const submitting = Promise.all(
      Array.from({ length: options.batches }, (_, i) => submit(ask, i, options.lines)),
    );
    for (let i = 0; i < options.kills; i++) {
      // Not a wait for anything: this is the chance in "a random moment".
      await pause(systemClock, randomFraction() * KILL_LATE_MS_MAX);
      const victim = Math.floor(randomFraction() * processes.length);
      await processes[victim]?.kill();
      processes[victim] = await start();
    }
    const ids = await submitting;
    const ended: EndedBatch[] = [];
    for (const id of ids) ended.push(await untilSettled(ask, id));
    await Promise.all(processes.map((running) => running.stop()));
    const asked = simulator.calls.length;
    const made = ended
      .filter(({ batch }) => batch.model.startsWith('their-'))
      .map(({ batch }) => madeOf({ simulator }, batch.id).length);
    return await withDatabase(place, async (db) => ({
      ended,
      asked,
      made,
      kills: options.kills,
      ...(await read(db)),
    }));
  } finally {
    await Promise.all(processes.map((running) => running.kill()));
    await simulator.stop();
    await place.remove();
  }
}

type Ask = (path: string, init?: RequestInit) => Promise<Response>;

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

/** With keys, so that asking again after a kill is the same upload and the same batch. */
async function submit(ask: Ask, number: number, lines: number): Promise<string> {
  const model = models[number % models.length] as string;
  // Slow enough to be under way when a process is killed; what its provider runs takes its time anyway.
  const slowly = model === 'own-chat' ? '[[fault slow-first-byte]] [[delay 100]] ' : '';
  const text = Array.from({ length: lines }, (_, i) =>
    chatLine(`l-${i}`, `${slowly}${number}-${i}`, { model, ...(i % BAD_EVERY === 0 && { temperature: 9 }) }),
  ).join('\n');
  const form = new FormData();
  form.set('purpose', 'batch');
  form.set('file', new Blob([text]), 'input.jsonl');
  const headers = { 'idempotency-key': `chaos-${number}` };
  const file = (await (await ask('/v1/files', { method: 'POST', body: form, headers })).json()) as {
    id: string;
  };
  const reply = await ask('/v1/batches', {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({
      input_file_id: file.id,
      endpoint: '/v1/chat/completions',
      completion_window: '24h',
    }),
  });
  const batch = (await reply.json()) as { id?: string };
  if (batch.id === undefined) throw new Error(`batch ${number} was refused: ${JSON.stringify(batch)}`);
  return batch.id;
}

async function untilSettled(ask: Ask, id: string): Promise<EndedBatch> {
  const deadline = systemClock.now() + ENDED_MS_MAX;
  for (;;) {
    const batch = (await (await ask(`/v1/batches/${id}`)).json()) as BatchObject;
    if (batch.settlement_status === 'settled') {
      const lines = async (fileId: string | null): Promise<ResultLine[]> => {
        if (fileId === null) return [];
        const content = await (await ask(`/v1/files/${fileId}/content`)).text();
        return content
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => JSON.parse(line) as ResultLine);
      };
      return { batch, output: await lines(batch.output_file_id), errors: await lines(batch.error_file_id) };
    }
    if (systemClock.now() > deadline) throw new Error(`${id} did not end: ${JSON.stringify(batch)}`);
    await pause(systemClock, LOOK_MS);
  }
}

async function read(db: Database) {
  const [counts] = await db.query<{ batches: number; lines: number }>(sql`
    select (select count(*) from batches) as batches, (select count(*) from batch_lines) as lines`);
  return {
    batches: counts?.batches ?? -1,
    leftLines: counts?.lines ?? -1,
    charges: await db.query<{ ref: string; spent: string }>(sql`
      select ref, trim_scale(spent)::text as spent from journal where kind = 'charge' order by ref`),
    disagreements: (await verifyBooks(db)).disagreements,
  };
}

async function prepare(db: Database): Promise<string> {
  await migrate(db, systemClock);
  const context = { db, clock: systemClock, actor: 'test' };
  const run = async (command: string, args: Record<string, string | boolean>): Promise<unknown> =>
    await adminCommands[command]?.run(context, args);
  await run('spaces.create', { name: 'acme', overage: true });
  await run('grants.add', { amount: '0.01', kind: 'paid' });
  return ((await run('keys.create', { name: 'chaos', kind: 'shared' })) as { key: string }).key;
}

function config(simulator: Simulator): string {
  return providerConfig(UNKNOWN_MS)
    .replaceAll('SIMULATOR_ORIGIN', simulator.origin)
    .replaceAll('SIMULATOR', simulator.url)
    .replace('limits: { ', `limits: { batch_lines: ${LINES_AT_ONCE}, `);
}

async function withDatabase<T>(place: TestPlace, work: (db: Database) => Promise<T>): Promise<T> {
  const db = await openDatabase({ url: place.databaseUrl, folder: place.folder, clock: systemClock });
  try {
    return await work(db);
  } finally {
    await db.close();
  }
}
